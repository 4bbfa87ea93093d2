import { lockSchema } from '../migrate/migrate.ts'
import { allRows, onlyRow } from '../rows.ts'
import type { Pool, Sql } from '../sql.ts'
import {
  type EncryptedColumn,
  type EncryptedColumns,
  fragmentsOf,
  type Key,
  keyColumns,
  listOf,
  noKey,
  type StoredValue,
  storedRows,
} from './encrypted-column.ts'
import type { Secrets } from './secrets.ts'

/** A column for which earlier releases stored texts unencrypted. */
type PlaintextColumn = EncryptedColumn & Required<Pick<EncryptedColumn, 'plaintextColumn'>>

const hasPlaintext = (where: EncryptedColumn): where is PlaintextColumn => where.plaintextColumn !== undefined

/** Rows that are encrypted in one transaction. */
const batchSize = 500

/**
 * Encrypts the texts that earlier releases stored unencrypted and clears the old columns; returns the number of rows by
 * column name. May be repeated, and run by several processes: they wait for each other, and completed batches stay. The
 * keys must be those of this database (`secret-key-check.ts`), since the plaintext is deleted.
 */
export async function encryptPlaintext(
  parts: { pool: Pool; secrets: Secrets },
  all: EncryptedColumns,
): Promise<Record<string, number>> {
  const encrypted: Record<string, number> = {}
  for (const [name, where] of Object.entries(all))
    if (hasPlaintext(where))
      encrypted[name] = (await existsPlaintext(parts.pool, where)) ? await encryptColumn(parts, where) : 0
  return encrypted
}

/** Usually there are none: then this process need not wait for the lock. */
async function existsPlaintext(sql: Sql, where: PlaintextColumn): Promise<boolean> {
  const { exists } = await onlyRow(sql<[{ exists: boolean }]>`
    select exists (${storedRows(sql, where, sql`true`, where.plaintextColumn)}) as exists`)
  return exists
}

async function encryptColumn(
  { pool, secrets }: { pool: Pool; secrets: Secrets },
  where: PlaintextColumn,
): Promise<number> {
  let [total, last] = [0, noKey]
  for (;;) {
    const rows = await pool.begin(async (sql) => {
      await lockSchema(sql)
      const batch = await plaintextRows(sql, where, last)
      if (batch.length > 0) await storeEncrypted(sql, secrets, where, batch)
      return batch
    })
    total += rows.length
    last = rows.at(-1)?.key ?? last
    if (rows.length < batchSize) return total
  }
}

const plaintextRows = (sql: Sql, where: PlaintextColumn, last: Key) =>
  allRows(sql<StoredValue<string>[]>`
    ${storedRows(sql, where, fragmentsOf(sql, where).after(last), where.plaintextColumn)}
    limit ${batchSize}
    for no key update`)

async function storeEncrypted(
  sql: Sql,
  secrets: Secrets,
  where: PlaintextColumn,
  rows: readonly StoredValue<string>[],
): Promise<void> {
  const ciphertexts = rows.map(({ key, content }) =>
    secrets.encrypt(content, where.purpose(...key)).toString('hex'),
  )
  const keys = listOf(sql, where.key, (_, at) => sql`${rows.map(({ key }) => key[at] ?? 0)}::bigint[]`)
  await sql`
    update ${sql(where.table)} as stored
    set ${sql(where.column)} = decode(input.sealed, 'hex'), ${sql(where.plaintextColumn)} = null
    from unnest(${keys}, ${ciphertexts}::text[]) as input (${keyColumns(sql, where)}, sealed)
    where (${keyColumns(sql, where, 'stored')}) = (${keyColumns(sql, where, 'input')})`
}
