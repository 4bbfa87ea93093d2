import { OperatorError } from '../../common/errors.ts'
import { lockSchema } from '../migrate/migrate.ts'
import { allRows, onlyRow } from '../rows.ts'
import type { Pool, Sql } from '../sql.ts'
import type { EncryptedColumns } from './encrypted-column.ts'
import type { Secrets } from './secrets.ts'

/** The configured keys are not those of this database. The process exits with code 2; nothing was changed. */
export class SecretKeyError extends OperatorError {
  override readonly exitCode = 2
}

interface CheckDeps {
  pool: Pool
  /** Absent if there is no key, which is fine for a database without encrypted values. */
  secrets: Secrets | undefined
  columns: EncryptedColumns
  /** Whether the operator accepts that values encrypted with a lost key cannot be read. */
  acceptsLoss: boolean
  clock: () => Date
}

/** Number of texts of each kind that the available keys cannot decrypt; kinds without such texts are left out. */
type Unreadable = Readonly<Record<string, number>>

/**
 * Checks that every key with which a value in the database may be encrypted is available, and records the current one.
 * A database of an earlier release records no keys: then the keys of its encrypted texts count, of which at least one
 * must be available. If several processes start on a new database with different keys, one succeeds.
 *
 * Returns what cannot be decrypted if that was not known before: after `acceptsLoss`, or in a database of an earlier
 * release.
 * @throws SecretKeyError when a key is missing and the loss is not accepted
 */
export async function checkSecretKeys(parts: CheckDeps): Promise<Unreadable> {
  const { pool, secrets } = parts
  const recorded = await recordedKeys(pool)
  const [current, ...others] = secrets?.keyIds ?? []
  if (current === undefined && recorded.length === 0) return {}
  const availableKeys = [current, ...others]
  if (
    current !== undefined &&
    recorded.includes(current) &&
    recorded.every((id) => availableKeys.includes(id))
  )
    return {}
  return await pool.begin(async (sql) => {
    // Reading all texts of a large database may take longer than the timeout of a statement.
    await sql`set local statement_timeout = 0`
    await lockSchema(sql)
    return await recordKeys(sql, parts)
  })
}

/** Runs under the schema lock, so that no other process records a key meanwhile. */
async function recordKeys(
  sql: Sql,
  { secrets, columns, acceptsLoss, clock }: CheckDeps,
): Promise<Unreadable> {
  const recorded = await recordedKeys(sql)
  const availableKeys: readonly string[] = secrets?.keyIds ?? []
  const needed = recorded.length > 0 ? recorded : await keysOfTexts(sql, columns)
  const missing = needed.filter((id) => !availableKeys.includes(id))
  const isEarlierRelease = recorded.length === 0 && missing.length < needed.length
  if (missing.length > 0 && !acceptsLoss && !isEarlierRelease)
    throw new SecretKeyError(messageFor(availableKeys.length, needed.length - missing.length))
  if (!secrets) return {}
  const [current] = secrets.keyIds
  await sql`delete from forgehall.secret_key where id = any(${missing})`
  const keysToRecord = [...new Set([current, ...needed.filter((id) => availableKeys.includes(id))])]
  await sql`
    insert into forgehall.secret_key (id, added_at)
    select id, ${clock()} from unnest(${keysToRecord}::text[]) as id
    on conflict (id) do nothing`
  return missing.length > 0 ? await countUnreadable(sql, columns, availableKeys) : {}
}

/** The problem, and what the operator can do. */
function messageFor(availableCount: number, matchingCount: number): string {
  const loss =
    'if it is lost, start once with SECRET_KEY_LOST=accept: the server then cannot read what that key encrypted'
  if (availableCount === 0)
    return `there is neither SECRET_KEY nor secret.key in DATA_DIR, and this database has encrypted values; set the key, or, ${loss}`
  if (matchingCount > 0)
    return `SECRET_KEY lacks a previous key that this database still needs; add it after a comma and run "forgehall secret rekey", or, ${loss}`
  return `SECRET_KEY (or secret.key in DATA_DIR) is not the key of this database; set the previous key, or, ${loss}`
}

/** Ids of the keys with which a value may be encrypted; none in a database that no server has used yet. */
export async function recordedKeys(sql: Sql): Promise<string[]> {
  const rows = await allRows(sql<{ id: string }[]>`select id from forgehall.secret_key`)
  return rows.map(({ id }) => id)
}

/** Deletes the records of keys with which nothing is encrypted any more, except that of `current`. */
export async function forgetKeys(sql: Sql, ids: readonly string[], current: string): Promise<void> {
  await sql`delete from forgehall.secret_key where id = any(${ids}) and id <> ${current}`
}

async function keysOfTexts(sql: Sql, columns: EncryptedColumns): Promise<string[]> {
  const ids = new Set<string>()
  for (const { table, column } of Object.values(columns)) {
    const rows = await allRows(sql<{ id: string }[]>`
      select distinct ${keyIdOf(sql, column)} as id
      from ${sql(table)}
      where ${sql(column)} is not null`)
    for (const { id } of rows) ids.add(id)
  }
  return [...ids]
}

async function countUnreadable(
  sql: Sql,
  columns: EncryptedColumns,
  availableKeys: readonly string[],
): Promise<Unreadable> {
  const unreadable: Record<string, number> = {}
  for (const [name, { table, column }] of Object.entries(columns)) {
    const { count } = await onlyRow(sql<[{ count: number }]>`
      select count(*) as count
      from ${sql(table)}
      where ${keyIdOf(sql, column)} <> all(${availableKeys})`)
    if (count > 0) unreadable[name] = count
  }
  return unreadable
}

/** SQL: the id of the key with which a text was encrypted (for the layout see `secrets.ts`). */
const keyIdOf = (sql: Sql, column: string) => sql`encode(substring(${sql(column)} from 2 for 8), 'hex')`
