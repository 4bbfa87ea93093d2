import type postgres from 'postgres'

/** The bytes of the one column of the one row that a statement gives: JSON, as PostgreSQL has written it. */
export async function jsonBytes(statement: postgres.PendingQuery<postgres.Row[]>): Promise<Buffer> {
  const [row] = await statement.raw()
  const bytes = row?.[0]
  if (!bytes) throw new Error('The statement gave no JSON')
  return bytes
}

/** The bytes of the one column of each row that a statement gives: JSON, as PostgreSQL has written it. */
export async function jsonRows(statement: postgres.PendingQuery<postgres.Row[]>): Promise<Buffer[]> {
  const rows = await statement.raw()
  return rows.map(([bytes]) => {
    if (!bytes) throw new Error('The statement gave a row without JSON')
    return bytes
  })
}
