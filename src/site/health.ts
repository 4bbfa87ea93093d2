import * as v from 'valibot'
import type { Sql } from '../db/sql.ts'
import { anyone, route } from './route.ts'

const Health = v.object({ ok: v.literal(true) })

/** Answers only while the database does: whoever asks wants to know whether requests can be served. */
const health = route(
  'GET /api/health',
  { summary: 'Whether requests can be served', access: anyone, returns: [200, Health], shared: true },
  async ({ sql }) => {
    await askDatabase(sql)
    return { ok: true as const }
  },
)

export const healthRoutes = [health]

async function askDatabase(sql: Sql): Promise<void> {
  await sql`select 1`
}
