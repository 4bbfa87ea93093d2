import type { Fragment, Sql } from '../sql.ts'
import { DecryptionError, type Secrets } from './secrets.ts'

/** A column that holds sealed texts, or null. */
export interface EncryptedColumn {
  table: `${string}.${string}`
  /** The columns that tell rows apart, in the order of an index: positive numbers. */
  key: readonly [string, ...string[]]
  column: string
  /** What the text of a row was sealed for. */
  purpose: (...key: number[]) => string
  /** The column in which earlier programs left such texts in clear; absent where none did. */
  clear?: string
}

/** Columns, by what operators call what they hold. */
export type EncryptedColumns = Readonly<Record<string, EncryptedColumn>>

/** The numbers of a row, in the order of `SealedColumn.key`. */
export type Key = readonly number[]

/** Before that of every row. */
export const noKey: Key = []

/** Fragments of statements over a column, made from its name. */
export function fragmentsOf(sql: Sql, where: EncryptedColumn) {
  const columns = keyColumns(sql, where)
  const numbers = (key: Key) => listOf(sql, where.key, (_, at) => sql`${key[at] ?? 0}::bigint`)
  return {
    columns,
    /** As `Key`. */
    key: sql`array[${columns}]::bigint[]`,
    after: (key: Key) => sql`(${columns}) > (${numbers(key)})`,
    between: (first: Key, last: Key) =>
      sql`(${columns}) >= (${numbers(first)}) and (${columns}) <= (${numbers(last)})`,
    is: (key: Key) => sql`(${columns}) = (${numbers(key)})`,
  }
}

/** The columns of the key, as those of `table` where that is given. */
export const keyColumns = (sql: Sql, { key }: EncryptedColumn, table?: string): Fragment =>
  listOf(sql, key, (name) => sql`${sql(table === undefined ? name : `${table}.${name}`)}`)

/** What is made of each name, with commas between. */
export const listOf = (
  sql: Sql,
  names: readonly string[],
  make: (name: string, at: number) => Fragment,
): Fragment => names.map(make).reduce((list, part) => sql`${list}, ${part}`)

/** What a column of a row holds, sealed or in clear. */
export interface Held<Content> {
  key: Key
  content: Content
}

/**
 * The statement for the rows that hold something in `column`, the sealed one unless told, in the order of their keys;
 * `which` narrows them.
 */
export function heldRows(sql: Sql, where: EncryptedColumn, which: Fragment, column = where.column): Fragment {
  const { columns, key } = fragmentsOf(sql, where)
  return sql`
    select ${key} as key, ${sql(column)} as content
    from ${sql(where.table)}
    where ${which} and ${sql(column)} is not null
    order by ${columns}`
}

/** The text of a row, or why it cannot be had. */
export function textOf(
  secrets: Secrets,
  { purpose }: EncryptedColumn,
  { key, content }: Held<Buffer>,
): string | DecryptionError {
  try {
    return secrets.open(content, purpose(...key))
  } catch (error) {
    if (error instanceof DecryptionError) return error
    throw error
  }
}
