import type { Fragment, Sql } from './sql.ts'

/** A time within JSON, in the form in which the connection pool returns times. */
export const timeText = (sql: Sql, time: Fragment) =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
