import type postgres from 'postgres'

/** The value of a statement with one row and one column: JSON bytes as PostgreSQL wrote them. */
export async function jsonBytes(statement: postgres.PendingQuery<postgres.Row[]>): Promise<Buffer> {
  const [row] = await statement.raw()
  const bytes = row?.[0]
  if (!bytes) throw new Error('The statement returned no JSON')
  return bytes
}
