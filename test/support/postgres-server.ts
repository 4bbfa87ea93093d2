import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './port.ts'

/** PostgreSQL refuses root; Debian's package makes this user. */
const notRoot = 'postgres'

/** Longest time until killed processes are gone, in milliseconds. */
const killPatience = 30_000

/** A throw-away PostgreSQL server in a temporary folder. */
export interface PostgresServer {
  /** Address of its database `postgres`, whose only user needs no password. */
  url: string
  /** Folder of its programs: `pg_dump`, `psql`. */
  bin: string
  /** Ends every process of it with SIGKILL, as a failing machine would, and waits until none is left. */
  kill: () => Promise<void>
  /** Starts it again on the same data; gives when it has recovered and accepts connections. */
  start: () => void
  /** Ends it and removes its folder. */
  remove: () => void
}

/**
 * Makes a cluster and starts it, as another user when we are root.
 * @param fsync whether a commit waits for the disk; tests that only ask what is answered can do without
 */
export async function startPostgres({ fsync }: { fsync: boolean }): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'forgehall-postgres-'))
  const data = join(folder, 'data')
  const port = await freePort()
  const bin = binaries()
  const user = account()
  if (user) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  const runIn = (program: string, words: string[]) =>
    execFileSync(join(bin, program), words, {
      ...user,
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const control = (...words: string[]) => runIn('pg_ctl', ['-D', data, '-s', '-w', ...words])
  const settings = [
    `-p ${port} -k ${folder}`,
    '-c listen_addresses=127.0.0.1 -c max_connections=200',
    `-c fsync=${fsync ? 'on' : 'off'}`,
  ]
  const start = () => {
    control('-l', join(folder, 'log'), '-o', settings.join(' '), 'start')
  }
  runIn('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'])
  const remove = () => {
    process.off('exit', remove)
    if (existsSync(join(data, 'postmaster.pid'))) control('-m', 'immediate', 'stop')
    rmSync(folder, { recursive: true, force: true })
  }
  // It runs on its own and would outlive us.
  process.once('exit', remove)
  start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    bin,
    kill: () => killTree(postmasterOf(data)),
    start,
    remove,
  }
}

/** Who runs the server when we are root. */
function account(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, notRoot], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** The folder of `initdb` and `pg_ctl`: the newest of Debian's, or whatever the path has. */
function binaries(): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const [newest] = versions
  if (newest !== undefined) return join(debian, newest, 'bin')
  return execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim()
}

/** Version of the server that `startPostgres` starts, for example `15.14`; undefined when there is none. */
export function postgresVersion(): string | undefined {
  try {
    const said = execFileSync(join(binaries(), 'postgres'), ['--version'], { encoding: 'utf8' })
    return /\d[\d.]*/.exec(said)?.[0]
  } catch {
    return undefined
  }
}

/** The first line of the lock file (PostgreSQL, section 73.1). */
const postmasterOf = (data: string) =>
  Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])

/**
 * Kills a process and its children: a server process that outlived its postmaster would keep the data locked. Waits
 * until their entries in the process table are gone too, by which PostgreSQL tells whether the lock file is a dead one's.
 */
async function killTree(parent: number): Promise<void> {
  // Stopped, it makes no more of them while they are counted; they themselves work on until the moment of the kill.
  signal(parent, 'SIGSTOP')
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(parent)])
  const all = [parent, ...stdout.split('\n').map(Number).filter(Boolean)]
  for (const pid of all) signal(pid, 'SIGKILL')
  const until = performance.now() + killPatience
  while (all.some((pid) => signal(pid, 0))) {
    if (performance.now() > until) throw new Error('Killed processes of PostgreSQL are still there')
    await pause(10)
  }
}

/** Whether there was a process to hear it. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
