import type { Begin, Sql, Tx } from '../sql.ts'
import {
  type EncryptedColumn,
  fragmentsOf,
  type Held,
  heldRows,
  type Key,
  noKey,
  textOf,
} from './encrypted-column.ts'
import type { Secrets } from './secrets.ts'

/** What became of a column. */
export interface Rekeyed {
  /** Sealed anew under the first key. */
  rewritten: number
  /** Sealed under it before. */
  current: number
  /** Left as they are, because no key opens them. */
  unreadable: { key: Key; error: string }[]
}

/** Rows that are looked at together, and at most locked together. */
const batch = 100

/**
 * Seals anew what was not sealed under the first key. Others may read and write meanwhile: a row is locked for as long
 * as its batch is rewritten, and what somebody else has written by then is what is opened.
 */
export async function rekeyColumn(
  { sql, begin, secrets }: { sql: Sql; begin: Begin; secrets: Secrets },
  where: EncryptedColumn,
): Promise<Rekeyed> {
  const total: Rekeyed = { rewritten: 0, current: 0, unreadable: [] }
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
    if (rows.length < batch) return total
  }
}

async function rowsAfter(sql: Sql, where: EncryptedColumn, last: Key): Promise<Held<Buffer>[]> {
  return await sql<Held<Buffer>[]>`
    ${heldRows(sql, where, fragmentsOf(sql, where).after(last))}
    limit ${batch}`
}

async function rewrite(
  tx: Tx,
  where: EncryptedColumn,
  [from, to]: readonly [Key, Key],
  secrets: Secrets,
): Promise<Pick<Rekeyed, 'rewritten' | 'unreadable'>> {
  const { between, is } = fragmentsOf(tx, where)
  const rows = await tx<Held<Buffer>[]>`
    ${heldRows(tx, where, between(from, to))}
    for no key update`
  const done: Pick<Rekeyed, 'rewritten' | 'unreadable'> = { rewritten: 0, unreadable: [] }
  for (const row of rows.filter(({ content }) => !secrets.isCurrent(content))) {
    const text = textOf(secrets, where, row)
    if (typeof text !== 'string') {
      done.unreadable.push({ key: row.key, error: text.message })
      continue
    }
    await tx`
      update ${tx(where.table)}
      set ${tx(where.column)} = ${secrets.seal(text, where.purpose(...row.key))}
      where ${is(row.key)}`
    done.rewritten++
  }
  return done
}
