import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quickFolder } from './folder.ts'
import { freePort } from './port.ts'
import { killTree, signal, stopTree } from './processes/tree.ts'

/** PostgreSQL refuses root; Debian's package makes this user. */
const notRoot = 'postgres'

/** A throw-away PostgreSQL server in a temporary folder. */
export interface PostgresServer {
  /** Address of its database `postgres`, whose only user needs no password. */
  url: string
  /** Id of its first process, the postmaster. */
  pid: () => number
  /** Folder of its programs: `pg_dump`, `psql`. */
  bin: string
  /** Ends every process of it with SIGKILL, as a failing machine would, and waits until none is left. */
  kill: () => Promise<void>
  /** Starts it again on the same data; gives when it has recovered and accepts connections. */
  start: () => Promise<void>
  /** Stops it cleanly; transactions that are open are rolled back. */
  stop: () => Promise<void>
  /** Stops every process of it with SIGSTOP; gives a function that lets them go on. */
  pause: () => Promise<() => void>
  /** Ends the recovery of a standby: it becomes a primary server and takes writes. */
  promote: () => Promise<void>
  /** Ends it and removes its folder. */
  remove: () => void
}

/** How a server is made. */
interface Making {
  /** Whether a commit waits for the disk; tests that only ask what is answered can do without, and without a disk. */
  fsync: boolean
  /** The primary server of which this one becomes a streaming standby; without one it is a new cluster. */
  standbyOf?: PostgresServer
}

/** Makes a cluster and starts it, as another user when we are root. */
export async function startPostgres({ fsync, standbyOf }: Making): Promise<PostgresServer> {
  const folder = mkdtempSync(join(fsync ? tmpdir() : quickFolder, 'forgehall-postgres-'))
  const data = join(folder, 'data')
  const port = await freePort()
  const bin = binaries()
  const user = account()
  if (user) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  const options = { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] as const }
  const runIn = async (program: string, args: string[]) => {
    const [code] = await once(
      spawn(join(bin, program), args, { ...options, stdio: [...options.stdio] }),
      'exit',
    )
    if (code !== 0) throw new Error(`${program} ended with code ${code}`)
  }
  const control = (...args: string[]) => runIn('pg_ctl', ['-D', data, '-s', '-w', ...args])
  const settings = [
    `-p ${port} -k ${folder}`,
    `-c listen_addresses=127.0.0.1 -c max_connections=200`,
    // In memory, the log that nobody recovers from takes no more room than it must.
    ...(fsync ? [] : ['-c fsync=off -c max_wal_size=256MB']),
  ]
  const start = () => control('-l', join(folder, 'log'), '-o', settings.join(' '), 'start')
  const remove = () => {
    process.off('exit', remove)
    // A server that was killed leaves the file behind.
    if (existsSync(join(data, 'postmaster.pid')) && signal(postmasterOf(data), 0)) {
      const args = ['-D', data, '-s', '-w', '-m', 'immediate', 'stop']
      execFileSync(join(bin, 'pg_ctl'), args, { ...options, stdio: [...options.stdio] })
    }
    rmSync(folder, { recursive: true, force: true })
  }
  // It runs on its own and would outlive us.
  process.once('exit', remove)
  if (standbyOf) await runIn('pg_basebackup', ['-D', data, '-R', '-c', 'fast', '-d', standbyOf.url])
  else await runIn('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'])
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid: () => postmasterOf(data),
    bin,
    kill: () => killTree(postmasterOf(data)),
    start,
    stop: () => control('-m', 'fast', 'stop'),
    pause: () => stopTree(postmasterOf(data)),
    promote: () => control('promote'),
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
