import postgres from 'postgres'
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { parts } from './parts.ts'

/** Starts PostgreSQL on the given folder and inserts rows until it is killed; prints which are acknowledged. */
const server = await startEmbeddedPostgres({ folder: process.argv[2] ?? '', parts })
// The types of the driver lack `socket`, so the options are a value of their own.
const options = { socket: () => server.connect(), max: 1, max_lifetime: null }
const sql = postgres(options)
await sql`create table if not exists kept (n int primary key)`
for (let n = 0; ; n += 1) {
  await sql`insert into kept (n) values (${n})`
  process.stdout.write(`${n}\n`)
}
