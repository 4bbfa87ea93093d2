import { allRows } from '../rows.ts'
import type { Begin, Sql, Tx } from '../sql.ts'
import {
  decryptRow,
  type EncryptedColumn,
  fragmentsOf,
  type Key,
  noKey,
  type StoredValue,
  storedRows,
} from './encrypted-column.ts'
import type { Secrets } from './secrets.ts'

/** The result for one column. */
export interface RekeyResult {
  /** Rows encrypted again with the first key. */
  rewritten: number
  /** Rows that already used the first key. */
  current: number
  /** Rows left unchanged, because no key decrypts them. */
  unreadable: { key: Key; error: string }[]
}

/** Rows that are read at a time, and at most locked at a time. */
const batchSize = 100

/**
 * Encrypts values again, with the first key, that were encrypted with another one. Other transactions may read and write
 * meanwhile: a row is locked only while its batch is rewritten, and its value is read again under the lock.
 */
export async function rekeyColumn(
  { sql, begin, secrets }: { sql: Sql; begin: Begin; secrets: Secrets },
  where: EncryptedColumn,
): Promise<RekeyResult> {
  const total: RekeyResult = { rewritten: 0, current: 0, unreadable: [] }
  let last = noKey
  for (;;) {
    const rows = await rowsAfter(sql, where, last)
    const stale = rows.filter(({ content }) => !secrets.isCurrent(content))
    const [from, to] = [stale[0]?.key, stale.at(-1)?.key]
    if (from && to) {
      const { rewritten, unreadable } = await begin((tx) => rewrite(tx, where, [from, to], secrets))
      total.rewritten += rewritten
      total.unreadable.push(...unreadable)
    }
    total.current += rows.length - stale.length
    last = rows.at(-1)?.key ?? last
    if (rows.length < batchSize) return total
  }
}

const rowsAfter = (sql: Sql, where: EncryptedColumn, last: Key) =>
  allRows(sql<StoredValue<Buffer>[]>`
    ${storedRows(sql, where, fragmentsOf(sql, where).after(last))}
    limit ${batchSize}`)

async function rewrite(
  tx: Tx,
  where: EncryptedColumn,
  [from, to]: readonly [Key, Key],
  secrets: Secrets,
): Promise<Pick<RekeyResult, 'rewritten' | 'unreadable'>> {
  const { between, is } = fragmentsOf(tx, where)
  const rows = await tx<StoredValue<Buffer>[]>`
    ${storedRows(tx, where, between(from, to))}
    for no key update`
  const result: Pick<RekeyResult, 'rewritten' | 'unreadable'> = { rewritten: 0, unreadable: [] }
  for (const row of rows.filter(({ content }) => !secrets.isCurrent(content))) {
    const text = decryptRow(secrets, where, row)
    if (typeof text !== 'string') {
      result.unreadable.push({ key: row.key, error: text.message })
      continue
    }
    await tx`
      update ${tx(where.table)}
      set ${tx(where.column)} = ${secrets.encrypt(text, where.purpose(...row.key))}
      where ${is(row.key)}`
    result.rewritten++
  }
  return result
}
