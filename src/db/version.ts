import type { Sql } from './sql.ts'

/**
 * Tells the states of a database apart: while the word for it stays the same, nothing has been committed, and a statement
 * gives what it gave before, as far as it looks at rows alone. A word never comes back.
 *
 * Where this process is the only one that writes, the word is at hand (`now`); elsewhere the database is asked for it.
 * Undefined where it cannot be told.
 */
export type VersionSource = { now: () => number | undefined } | { ask: () => Promise<string | undefined> }

/**
 * The state of a PostgreSQL server: which transactions a statement sees. Each commit that wrote something changes it, of
 * whatever process and whatever database of the server. Another server, such as one that took over with less than the
 * first had committed, has started at another moment. A standby cannot tell: it lists no transactions that are under way.
 */
export async function readDatabaseVersion(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ state: string }[]>`
    select pg_postmaster_start_time() || ' ' || pg_current_snapshot() as state
    where not pg_is_in_recovery()`
  return row?.state
}
