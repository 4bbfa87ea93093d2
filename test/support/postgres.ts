import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from './postgres-server.ts'

/**
 * Starts a throw-away PostgreSQL server, runs a command with `DATABASE_URL` set to it, and removes it again:
 * `node postgres.js npm test`. Durability is not under test there; the crash test has a server of its own.
 */
async function withServer(command: readonly string[]): Promise<number> {
  const server = await startPostgres({ fsync: false })
  try {
    const [program = 'npm', ...args] = command
    const env = { ...process.env, DATABASE_URL: server.url, PG_BIN: server.bin }
    const [code] = await once(spawn(program, args, { stdio: 'inherit', env }), 'exit')
    return code ?? 1
  } finally {
    server.remove()
  }
}

process.once('SIGTERM', () => process.exit(143))
process.exitCode = await withServer(process.argv.slice(2))
