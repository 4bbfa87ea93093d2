import { firstRow } from './rows.ts'
import type { Sql } from './sql.ts'

/** Identifies a version of the database contents; a value is never reused. */
export type DatabaseVersion = string | number

/**
 * Identifies versions of the database contents: while the version stays the same, nothing has been committed, and a
 * statement that depends on rows alone returns the same result. A value is never reused.
 *
 * If this process is the only writer, it has the version in memory (`local`); otherwise it queries the database
 * (`remote`). Undefined if it cannot be determined.
 */
export type VersionSource =
  | { local: () => number | undefined }
  | { remote: () => Promise<string | undefined> }

/**
 * The version of a PostgreSQL server: the set of transactions that a statement sees. Each commit that wrote something
 * changes it, from any process and in any database of the server. The start time distinguishes another server, such as
 * one that took over with fewer commits than the first had. Undefined on a standby: it does not list the transactions
 * in progress.
 */
export async function readDatabaseVersion(sql: Sql): Promise<string | undefined> {
  const row = await firstRow(sql<{ state: string }[]>`
    select pg_postmaster_start_time() || ' ' || pg_current_snapshot() as state
    where not pg_is_in_recovery()`)
  return row?.state
}
