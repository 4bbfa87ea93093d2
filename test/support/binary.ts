import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { after } from 'node:test'
import { fillFromTemplate, onServer, openTestDatabase, place } from './database.ts'
import { temporaryFolder } from './folder.ts'
import { compileQuickly } from './suite/engine.ts'
import { until } from './wait.ts'

/** The built file. */
export const binary = resolve('dist/forgehall.cjs')

export type Environment = Readonly<Record<string, string>>

/** A command that has ended. */
export interface Ran {
  code: number | null
  out: string
  err: string
}

/** A server in a process of its own. */
export interface Serving {
  /** `http://127.0.0.1:port`, without a slash. */
  url: string
  /** Its log so far. */
  lines: () => Record<string, unknown>[]
  signal: (name: NodeJS.Signals) => void
  /** Reads its log no more: what it writes from now on fails. */
  deafen: () => void
  /** Settles when it has ended. */
  ended: Promise<Ran>
}

/** A place for a database that no process has open: for a server of its own, and commands beside it. */
export interface Home {
  environment: Environment
  dataDir: string
}

/** It is removed after the test, or after the tests of the file. With a migrated database in it, unless it is to be `empty`: an embedded one that is made anew takes seconds. */
export async function openHome({ empty = false } = {}): Promise<Home> {
  const dataDir = await temporaryFolder(place)
  const database = onServer ? await openTestDatabase(1) : undefined
  if (database) after(database.close)
  if (!onServer && !empty) fillFromTemplate(dataDir)
  return {
    environment: { DATA_DIR: dataDir, ...(database?.url && { DATABASE_URL: database.url }) },
    dataDir,
  }
}

function start(
  args: readonly string[],
  environment: Environment,
  file: string,
  cwd: string,
  flags: readonly string[] = [],
) {
  const child = spawn(process.execPath, [compileQuickly, ...flags, file, ...args], {
    cwd,
    // Without a password of its own, each first start would print one.
    env: { PATH: process.env.PATH, ADMIN_PASSWORD: 'a password for tests', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A test that fails must not leave it behind.
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text
  })
  const ended = once(child, 'close').then(([code]): Ran => ({ code, ...said }))
  return { child, said, ended }
}

/** How long a command may run, in milliseconds, before it is killed: one that does not end fails its test, not the run. */
const longestCommand = 180_000

/** Runs the built file to its end; `code` is null if that does not come within three minutes. */
export const runBinary = (args: readonly string[], environment: Environment = {}): Promise<Ran> =>
  launchBinary(args, environment).ended

/** Runs the built file, for at most three minutes; a signal may end it early. */
export function launchBinary(
  args: readonly string[],
  environment: Environment,
): Pick<Serving, 'signal' | 'ended'> {
  const { child, ended } = start(args, environment, binary, process.cwd())
  // A command that hangs fails its test by how it ends; without this the test would hang as well.
  const timer = setTimeout(() => child.kill('SIGKILL'), longestCommand)
  return { signal: (name) => void child.kill(name), ended: ended.finally(() => clearTimeout(timer)) }
}

/** Starts the built file as a server on a free port and waits until it takes requests. It must be ended by the test. */
export async function serveBinary(
  environment: Environment,
  { file = binary, cwd = process.cwd(), flags = [] as readonly string[] } = {},
): Promise<Serving> {
  const { child, said, ended } = start([], { PORT: '0', HOST: '127.0.0.1', ...environment }, file, cwd, flags)
  const lines = () =>
    said.out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const listening = await until('the server takes requests', () => {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}: ${said.err}`)
    return lines().find(({ message }) => message === 'ready' || message === 'listening')
  })
  return {
    url: `http://127.0.0.1:${listening.port}`,
    lines,
    signal: (name) => void child.kill(name),
    deafen: () => void child.stdout.destroy(),
    ended,
  }
}

/**
 * A server for the tests of this file, which ends after them. Commands with the environment of its home run beside it:
 * over the admin socket where it holds the embedded database.
 */
export async function serveHome(environment: Environment = {}): Promise<{ home: Home; serving: Serving }> {
  let serving: Serving | undefined
  after(() => serving && stopBinary(serving))
  const home = await openHome()
  serving = await serveBinary({ ...home.environment, ...environment })
  return { home, serving }
}

/** Starts servers with this environment, which are killed after the tests of this file at the latest. */
export function killedAtEnd(environment: Environment): () => Promise<Serving> {
  const servers: Serving[] = []
  after(() => {
    for (const server of servers) server.signal('SIGKILL')
  })
  return async () => {
    const server = await serveBinary(environment)
    servers.push(server)
    return server
  }
}

/** Ends a server as an operator would. */
export async function stopBinary(serving: Serving): Promise<Ran> {
  serving.signal('SIGTERM')
  return await serving.ended
}
