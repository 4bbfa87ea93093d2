import type postgres from 'postgres'

/** The bytes of the one column of the one row that a statement gives: JSON, as PostgreSQL has written it. */
export async function jsonBytes(statement: postgres.PendingQuery<postgres.Row[]>): Promise<Buffer> {
  const [row] = await statement.raw()
  const bytes = row?.[0]
  if (!bytes) throw new Error('The statement gave no JSON')
  return bytes
}
