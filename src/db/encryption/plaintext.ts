import { lockSchema } from '../migrate/migrate.ts'
import type { Pool, Sql } from '../sql.ts'
import {
  type EncryptedColumn,
  type EncryptedColumns,
  fragmentsOf,
  type Held,
  heldRows,
  type Key,
  keyColumns,
  listOf,
  noKey,
} from './encrypted-column.ts'
import type { Secrets } from './secrets.ts'

/** A column in which earlier programs left texts in clear. */
type PlaintextColumn = EncryptedColumn & Required<Pick<EncryptedColumn, 'clear'>>

const wasClear = (where: EncryptedColumn): where is PlaintextColumn => where.clear !== undefined

/** Rows that are sealed in one transaction. */
const batch = 500

/**
 * Seals what earlier programs left in clear and empties those columns; gives how many rows of which. May be done again
 * and by several processes: they take turns, and a piece that was done stays done.
 * The keys must be those of this database (`secret-key-check.ts`), for there is no clear text any more.
 */
export async function encryptPlaintext(
  parts: { pool: Pool; secrets: Secrets },
  all: EncryptedColumns,
): Promise<Record<string, number>> {
  const done: Record<string, number> = {}
  for (const [what, where] of Object.entries(all))
    if (wasClear(where))
      done[what] = (await isAnyInClear(parts.pool, where)) ? await sealColumn(parts, where) : 0
  return done
}

/** Mostly there is none: then nobody need wait for the others. */
async function isAnyInClear(sql: Sql, where: PlaintextColumn): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    select exists (${heldRows(sql, where, sql`true`, where.clear)}) as found`
  return row.found
}

async function sealColumn(
  { pool, secrets }: { pool: Pool; secrets: Secrets },
  where: PlaintextColumn,
): Promise<number> {
  let [total, last] = [0, noKey]
  for (;;) {
    const rows = await pool.begin(async (sql) => {
      await lockSchema(sql)
      const found = await rowsInClear(sql, where, last)
      if (found.length === 0) return found
      await storeSealed(sql, secrets, where, found)
      return found
    })
    total += rows.length
    last = rows.at(-1)?.key ?? last
    if (rows.length < batch) return total
  }
}

async function rowsInClear(sql: Sql, where: PlaintextColumn, last: Key): Promise<Held<string>[]> {
  return await sql<Held<string>[]>`
    ${heldRows(sql, where, fragmentsOf(sql, where).after(last), where.clear)}
    limit ${batch}
    for no key update`
}

async function storeSealed(
  sql: Sql,
  secrets: Secrets,
  where: PlaintextColumn,
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
