import { SealError, type Secrets } from './secrets.ts'
import type { Begin, Sql, Tx } from './sql.ts'

/** A column that holds sealed texts, or null. */
export interface SealedColumn {
  table: `${string}.${string}`
  /** The column that tells rows apart: a number. */
  key: string
  column: string
  /** What the text of a row was sealed for. */
  purpose: (key: number) => string
}

/** What became of a column. */
export interface Rekeyed {
  /** Sealed anew under the first key. */
  rewritten: number
  /** Sealed under it before. */
  current: number
  /** Left as they are, because no key opens them. */
  unreadable: { key: number; error: string }[]
}

/** Rows that are looked at together, and at most locked together. */
const batch = 100

/**
 * Seals anew what was not sealed under the first key. Others may read and write meanwhile: a row is locked for as long
 * as its batch is rewritten, and what somebody else has written by then is what is opened.
 */
export async function rekeyColumn(
  { sql, begin, secrets }: { sql: Sql; begin: Begin; secrets: Secrets },
  where: SealedColumn,
): Promise<Rekeyed> {
  const total: Rekeyed = { rewritten: 0, current: 0, unreadable: [] }
  let last = 0
  for (;;) {
    const rows = await rowsAfter(sql, where, last)
    const stale = rows.filter(({ sealed }) => !secrets.isCurrent(sealed)).map(({ key }) => key)
    if (stale.length > 0) {
      const { rewritten, unreadable } = await begin((tx) => rewrite(tx, where, stale, secrets))
      total.rewritten += rewritten
      total.unreadable.push(...unreadable)
    }
    total.current += rows.length - stale.length
    last = rows.at(-1)?.key ?? last
    if (rows.length < batch) return total
  }
}

interface Row {
  key: number
  sealed: Buffer
}

async function rowsAfter(sql: Sql, { table, key, column }: SealedColumn, last: number): Promise<Row[]> {
  return await sql<Row[]>`
    select ${sql(key)} as key, ${sql(column)} as sealed
    from ${sql(table)}
    where ${sql(key)} > ${last} and ${sql(column)} is not null
    order by ${sql(key)}
    limit ${batch}`
}

async function rewrite(
  tx: Tx,
  { table, key, column, purpose }: SealedColumn,
  stale: readonly number[],
  secrets: Secrets,
): Promise<Pick<Rekeyed, 'rewritten' | 'unreadable'>> {
  const rows = await tx<Row[]>`
    select ${tx(key)} as key, ${tx(column)} as sealed
    from ${tx(table)}
    where ${tx(key)} = any(${[...stale]}::bigint[]) and ${tx(column)} is not null
    order by ${tx(key)}
    for no key update`
  const done: Pick<Rekeyed, 'rewritten' | 'unreadable'> = { rewritten: 0, unreadable: [] }
  for (const row of rows.filter(({ sealed }) => !secrets.isCurrent(sealed))) {
    const text = opened(secrets, row, purpose)
    if (typeof text !== 'string') {
      done.unreadable.push({ key: row.key, error: text.message })
      continue
    }
    await tx`
      update ${tx(table)}
      set ${tx(column)} = ${secrets.seal(text, purpose(row.key))}
      where ${tx(key)} = ${row.key}`
    done.rewritten++
  }
  return done
}

function opened(
  secrets: Secrets,
  { key, sealed }: Row,
  purpose: SealedColumn['purpose'],
): string | SealError {
  try {
    return secrets.open(sealed, purpose(key))
  } catch (error) {
    if (error instanceof SealError) return error
    throw error
  }
}
