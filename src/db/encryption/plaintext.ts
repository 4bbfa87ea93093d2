import { lockSchema } from '../migrate/migrate.ts'
import type { Pool, Sql } from '../sql.ts'
import {
  fragmentsOf,
  type Held,
  heldRows,
  type Key,
  keyColumns,
  listOf,
  noKey,
  type SealedColumn,
  textOf,
} from './encrypted-column.ts'
import { SealError, type Secrets } from './secrets.ts'

type SealedColumns = Readonly<Record<string, SealedColumn>>

/** A column in which earlier programs left texts in clear. */
type ClearColumn = SealedColumn & Required<Pick<SealedColumn, 'clear'>>

const wasClear = (where: SealedColumn): where is ClearColumn => where.clear !== undefined

/** Rows that are sealed in one transaction. */
const batch = 500

/**
 * Seals what earlier programs left in clear and empties those columns; gives how many rows of which. May be done again
 * and by several processes: they take turns, and a piece that was done stays done.
 * @throws SealError when these are not the keys of this database. They are asked to open one text of each column, before
 * each piece: what they seal could not be opened by those who have the right ones, and there is no clear text any more.
 */
export async function sealClear(
  parts: { pool: Pool; secrets: Secrets },
  all: SealedColumns,
): Promise<Record<string, number>> {
  const done: Record<string, number> = {}
  for (const [what, where] of Object.entries(all))
    if (wasClear(where))
      done[what] = (await isAnyInClear(parts.pool, where)) ? await sealColumn(parts, where, all) : 0
  return done
}

/** Mostly there is none: then nobody need wait for the others. */
async function isAnyInClear(sql: Sql, where: ClearColumn): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    select exists (${heldRows(sql, where, sql`true`, where.clear)}) as found`
  return row.found
}

async function sealColumn(
  { pool, secrets }: { pool: Pool; secrets: Secrets },
  where: ClearColumn,
  all: SealedColumns,
): Promise<number> {
  let [total, last] = [0, noKey]
  for (;;) {
    const rows = await pool.begin(async (sql) => {
      await lockSchema(sql)
      const found = await rowsInClear(sql, where, last)
      if (found.length === 0) return found
      await assertKeys(sql, secrets, all)
      await storeSealed(sql, secrets, where, found)
      return found
    })
    total += rows.length
    last = rows.at(-1)?.key ?? last
    if (rows.length < batch) return total
  }
}

async function rowsInClear(sql: Sql, where: ClearColumn, last: Key): Promise<Held<string>[]> {
  return await sql<Held<string>[]>`
    ${heldRows(sql, where, fragmentsOf(sql, where).after(last), where.clear)}
    limit ${batch}
    for no key update`
}

async function storeSealed(
  sql: Sql,
  secrets: Secrets,
  where: ClearColumn,
  rows: readonly Held<string>[],
): Promise<void> {
  const sealed = rows.map(({ key, content }) => secrets.seal(content, where.purpose(...key)).toString('hex'))
  const keys = listOf(sql, where.key, (_, at) => sql`${rows.map(({ key }) => key[at] ?? 0)}::bigint[]`)
  await sql`
    update ${sql(where.table)} as line
    set ${sql(where.column)} = decode(given.sealed, 'hex'), ${sql(where.clear)} = null
    from unnest(${keys}, ${sealed}::text[]) as given (${keyColumns(sql, where)}, sealed)
    where (${keyColumns(sql, where, 'line')}) = (${keyColumns(sql, where, 'given')})`
}

/** @throws SealError that names the first text that does not open */
async function assertKeys(sql: Sql, secrets: Secrets, all: SealedColumns): Promise<void> {
  for (const [what, where] of Object.entries(all)) {
    const row = await firstSealed(sql, where)
    const text = row && textOf(secrets, where, row)
    if (text instanceof SealError)
      throw new SealError(`${what}, number ${row?.key.join('/')}, cannot be opened: ${text.message}`)
  }
}

async function firstSealed(sql: Sql, where: SealedColumn): Promise<Held<Buffer> | undefined> {
  const [row] = await sql<Held<Buffer>[]>`
    ${heldRows(sql, where, fragmentsOf(sql, where).after(noKey))}
    limit 1`
  return row
}
