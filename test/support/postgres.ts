import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** PostgreSQL refuses root; Debian's package makes this user. */
const notRoot = 'postgres'

/**
 * Starts a throw-away PostgreSQL server in a temporary folder, runs a command with `DATABASE_URL` set to it, and stops
 * it again: `node postgres.js npm test`.
 */
async function withServer(command: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'forgehall-postgres-'))
  const port = await freePort()
  const user = account()
  if (user) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  const bin = binaries()
  const data = join(folder, 'data')
  // Durability of the test server itself is not under test here; crash tests kill our process, not PostgreSQL.
  const settings = [
    `-p ${port}`,
    `-k ${folder}`,
    '-c listen_addresses=127.0.0.1',
    '-c max_connections=200',
    '-c fsync=off',
  ]
  const control = (...words: string[]) =>
    execFileSync(join(bin, 'pg_ctl'), ['-D', data, '-s', '-w', ...words], {
      ...user,
      cwd: folder,
      stdio: 'inherit',
    })
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'],
    {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  control('-l', join(folder, 'log'), '-o', settings.join(' '), 'start')
  try {
    const [program = 'npm', ...words] = command
    const env = {
      ...process.env,
      DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres`,
      PG_BIN: bin,
    }
    const [code] = await once(spawn(program, words, { stdio: 'inherit', env }), 'exit')
    return code ?? 1
  } finally {
    control('-m', 'immediate', 'stop')
    rmSync(folder, { recursive: true })
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

process.exitCode = await withServer(process.argv.slice(2))
