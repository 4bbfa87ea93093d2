import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/port.ts'
import { until } from '../support/wait.ts'

/** Debian has it in a folder that is not on everybody's path. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

/** Its version, for example `1.18.0`; undefined where it is not installed. */
export const pgbouncerVersion = /PgBouncer (\S+)/.exec(
  spawnSync('pgbouncer', ['--version'], { env, encoding: 'utf8' }).stdout ?? '',
)?.[1]

const [major = 0, minor = 0] = pgbouncerVersion?.split('.').map(Number) ?? []

/** Whether it keeps prepared statements in `transaction` mode. Earlier releases do not know the setting. */
export const keepsStatements = major > 1 || minor >= 21

/** A PgBouncer in front of a PostgreSQL server. */
export interface PgBouncer {
  /** Address of the database through the pooler. */
  url: string
  /** Ends it at once; clients lose their connections. */
  kill: () => Promise<void>
  start: () => Promise<void>
  close: () => Promise<void>
}

/**
 * Starts PgBouncer with the settings that `docs/operating.md` names.
 * @param database address of the database on its server, whose user needs no password
 * @param mode `pool_mode`
 */
export async function startPgBouncer(database: string, mode: 'session' | 'transaction'): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, pathname } = new URL(database)
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  const port = await freePort()
  await writeFile(join(folder, 'users'), `"${username}" ""\n`)
  await writeFile(
    join(folder, 'ini'),
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = ${mode}
ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,jit
${mode === 'transaction' && keepsStatements ? 'max_prepared_statements = 200\n' : ''}`,
  )
  await chmod(folder, 0o755)
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  let child = spawnPooler()

  function spawnPooler() {
    return spawn('pgbouncer', ['-q', ...user, join(folder, 'ini')], { env, stdio: 'ignore' })
  }
  const isOpen = () => until('PgBouncer listens', () => listens(port))
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await isOpen()
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    kill,
    start: async () => {
      child = spawnPooler()
      await isOpen()
    },
    close: async () => {
      await kill()
      await rm(folder, { recursive: true })
    },
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
