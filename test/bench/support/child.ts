import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../support/port.ts'

/** A server under measurement, in a process of its own on 127.0.0.1. */
export interface Child {
  port: number
  pid: number
  /** Milliseconds from the start of the process to its first 200 on the path asked for. */
  startedIn: number
  /** Asks it to stop, and waits until it has. @throws Error when it does not end well within 15 s */
  stop: () => Promise<void>
  /** Ends it with SIGKILL. */
  kill: () => Promise<void>
}

/** How a child is started. */
export interface Start {
  /** Script and its arguments. */
  words: readonly string[]
  /** Beside `PORT` and `HOST`, which are chosen here; nothing of this process's own but `PATH`. */
  environment: Readonly<Record<string, string>>
  /** Answers 200 as soon as the server works. */
  healthPath: string
  /** File descriptor of its standard output. */
  output?: number
  /** Where it listens; without one a free port is chosen. */
  port?: number
}

/** Longest time until a server answers, in milliseconds. */
const startPatience = 60_000

/** Starts a server and waits until it works. @throws Error when it ends, or does not answer in time */
export async function startChild(how: Start): Promise<Child> {
  const { words, environment, healthPath, output } = how
  const port = how.port ?? (await freePort())
  const began = performance.now()
  const child = spawn(process.execPath, words, {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      HOST: '127.0.0.1',
      ...environment,
    },
    stdio: ['ignore', output ?? 'ignore', 'pipe'],
  })
  const abandon = () => child.kill('SIGKILL')
  process.once('exit', abandon)
  const exit = once(child, 'exit')
  child.once('exit', () => process.off('exit', abandon))
  const complaints = endOf(child.stderr)
  try {
    await healthy(child, `http://127.0.0.1:${port}${healthPath}`, began + startPatience)
  } catch (error) {
    throw new Error(`The server did not start: ${complaints()}`, { cause: error })
  }
  return {
    port,
    pid: child.pid ?? 0,
    startedIn: performance.now() - began,
    stop: () => end(child, exit),
    kill: async () => {
      child.kill('SIGKILL')
      await exit
    },
  }
}

/** What a stream said last; it is read to its end, because a full pipe would stop who writes into it. */
function endOf(stream: Readable | null): () => string {
  let said = ''
  stream?.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-4000)
  })
  return () => said
}

/** Whether an address answers 200. The connection is closed, so that none stays open beside a measurement. */
export async function isHealthy(url: string): Promise<boolean> {
  const answer = await fetch(url, { headers: { connection: 'close' } }).catch(() => undefined)
  await answer?.arrayBuffer()
  return answer?.status === 200
}

async function healthy(child: ChildProcess, url: string, until: number): Promise<void> {
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`The server ended with code ${child.exitCode} at its start`)
    if (await isHealthy(url)) return
    await pause(5)
  }
  child.kill('SIGKILL')
  throw new Error('The server did not answer in time')
}

async function end(child: ChildProcess, exit: Promise<unknown[]>): Promise<void> {
  const cut = setTimeout(() => child.kill('SIGKILL'), 15_000)
  child.kill('SIGTERM')
  const [code] = await exit
  clearTimeout(cut)
  if (code !== 0) throw new Error(`The server ended with code ${code}`)
}
