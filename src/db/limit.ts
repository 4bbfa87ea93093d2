import type { Fragment, Sql } from './sql.ts'

/**
 * `limit` with its number in the statement's text, for statements that run often and with few different numbers. Where
 * the number is a parameter PostgreSQL plans anew with every run: the one plan for all numbers counts on a tenth of
 * the table and never looks cheaper.
 * @throws RangeError when it is no number of rows
 */
export function limitOf(sql: Sql, count: number): Fragment {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${count} is no number of rows`)
  return sql`limit ${sql.unsafe(String(count))}`
}
