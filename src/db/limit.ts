import type { Fragment, Sql } from './sql.ts'

/**
 * `limit` with a literal number, for statements that run often with few different numbers. With a parameter, PostgreSQL
 * plans the statement again on each run, because the generic plan assumes a tenth of the table and never looks cheaper.
 * @throws RangeError when it is not a number of rows
 */
export function limitOf(sql: Sql, count: number): Fragment {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${count} is not a number of rows`)
  return sql`limit ${sql.unsafe(String(count))}`
}
