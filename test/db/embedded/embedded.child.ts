import postgres from 'postgres'
import { openEmbedded } from '../../../src/db/embedded/embedded.ts'

/** Opens the embedded PostgreSQL in the folder given and writes rows until it is killed, saying which are acknowledged. */
const embedded = await openEmbedded({ dataDir: process.argv[2] ?? '' })
// A value of its own, as the driver's types do not know `socket`.
const options = { socket: () => embedded.connect(), max: 1, max_lifetime: null }
const sql = postgres(options)
await sql`create table if not exists kept (n int primary key)`
for (let n = 0; ; n += 1) {
  await sql`insert into kept (n) values (${n})`
  process.stdout.write(`${n}\n`)
}
