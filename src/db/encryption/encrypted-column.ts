import type { Fragment, Sql } from '../sql.ts'
import { type DecryptionError, decryptedOrError, type Secrets } from './secrets.ts'

/** A column that holds encrypted texts, or null. */
export interface EncryptedColumn {
  table: `${string}.${string}`
  /** The columns that identify a row, in the order of an index: positive numbers. */
  key: readonly [string, ...string[]]
  column: string
  /** The purpose for which the text of a row was encrypted. */
  purpose: (...key: number[]) => string
}

/** Columns by the name that operators use for their contents. */
export type EncryptedColumns = Readonly<Record<string, EncryptedColumn>>

/** The numbers that identify a row, in the order of `EncryptedColumn.key`. */
export type Key = readonly number[]

/** Sorts before the key of every row. */
export const noKey: Key = []

/** SQL fragments for statements on a column. */
export function fragmentsOf(sql: Sql, where: EncryptedColumn) {
  const columns = keyColumns(sql, where)
  const numbers = (key: Key) => listOf(sql, where.key, (_, at) => sql`${key[at] ?? 0}::bigint`)
  return {
    columns,
    /** In the form of `Key`. */
    key: sql`array[${columns}]::bigint[]`,
    after: (key: Key) => sql`(${columns}) > (${numbers(key)})`,
    between: (first: Key, last: Key) =>
      sql`(${columns}) >= (${numbers(first)}) and (${columns}) <= (${numbers(last)})`,
    is: (key: Key) => sql`(${columns}) = (${numbers(key)})`,
  }
}

/** The columns of the key, qualified with `table` if there is one. */
const keyColumns = (sql: Sql, { key }: EncryptedColumn, table?: string): Fragment =>
  listOf(sql, key, (name) => sql`${sql(table === undefined ? name : `${table}.${name}`)}`)

/** What `make` returns for each name, separated by commas. */
const listOf = (sql: Sql, names: readonly string[], make: (name: string, at: number) => Fragment): Fragment =>
  names.map(make).reduce((list, part) => sql`${list}, ${part}`)

/** The value of a column of a row, encrypted or not. */
export interface StoredValue<Content> {
  key: Key
  content: Content
}

/**
 * The statement for the rows that have an encrypted text, in the order of their keys; `which` narrows them.
 */
export function storedRows(sql: Sql, where: EncryptedColumn, which: Fragment): Fragment {
  const { columns, key } = fragmentsOf(sql, where)
  return sql`
    select ${key} as key, ${sql(where.column)} as content
    from ${sql(where.table)}
    where ${which} and ${sql(where.column)} is not null
    order by ${columns}`
}

/** The decrypted text of a row, or the reason why it cannot be decrypted. */
export function decryptRow(
  secrets: Secrets,
  { purpose }: EncryptedColumn,
  { key, content }: StoredValue<Buffer>,
): string | DecryptionError {
  return decryptedOrError(() => secrets.decrypt(content, purpose(...key)))
}
