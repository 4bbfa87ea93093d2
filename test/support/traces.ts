import type { Pool } from '../../src/db/sql.ts'

/** The tables with a row in which this text stands, as it is or among bytes; JSON may have escaped what it escapes. */
export async function tablesHolding(pool: Pool, text: string): Promise<string[]> {
  const tables = await pool<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name
    from information_schema.tables
    where table_schema in ('forge', 'site', 'forgehall') and table_type = 'BASE TABLE'
    order by table_schema, table_name`
  const [plain, bytes] = [`%${text}%`, `%${Buffer.from(text).toString('hex')}%`]
  const holding: string[] = []
  for (const { schema, name } of tables) {
    const found = await pool`
      select from ${pool(`${schema}.${name}`)} as line
      where line::text like ${plain} or line::text like ${bytes}
      limit 1`
    if (found.length > 0) holding.push(`${schema}.${name}`)
  }
  return holding
}
