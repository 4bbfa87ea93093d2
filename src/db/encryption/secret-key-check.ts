import { OperatorError } from '../../errors.ts'
import { lockSchema } from '../migrate/migrate.ts'
import type { Pool, Sql } from '../sql.ts'
import type { EncryptedColumns } from './encrypted-column.ts'
import type { Secrets } from './secrets.ts'

/** These keys are not those of this database. The process ends with exit code 2, for nothing was done. */
export class SecretKeyError extends OperatorError {
  override readonly exitCode = 2
}

interface CheckParts {
  pool: Pool
  /** Absent where there is no key, which is well for a database that is not encrypted with one. */
  secrets: Secrets | undefined
  columns: EncryptedColumns
  /** Whether the operator accepts that what was encrypted under a lost key cannot be read. */
  acceptsLoss: boolean
  clock: () => Date
}

/** How many texts of each kind cannot be read with the keys at hand; kinds of which all can be are left out. */
export type Unreadable = Readonly<Record<string, number>>

/**
 * Makes sure that every key under which something in the database may be encrypted is at hand, and records the current one
 * as one of them. A database of an earlier release has no such record: it is held against the keys of the texts themselves,
 * of which some must be at hand. Of several processes that start on a new database with different keys, one succeeds.
 *
 * Gives what cannot be read when that was not known before: after `acceptsLoss`, or in a database of an earlier release.
 * @throws SecretKeyError when a key is missing and the loss is not accepted
 */
export async function checkSecretKeys(parts: CheckParts): Promise<Unreadable> {
  const { pool, secrets } = parts
  const recorded = await recordedKeys(pool)
  const [current, ...others] = secrets?.keyIds ?? []
  if (current === undefined && recorded.length === 0) return {}
  const known = [current, ...others]
  if (current !== undefined && recorded.includes(current) && recorded.every((id) => known.includes(id)))
    return {}
  return await pool.begin(async (sql) => {
    // The texts of a large history may take a while to look at, once.
    await sql`set local statement_timeout = 0`
    await lockSchema(sql)
    return await settleKeys(sql, parts)
  })
}

/** Under the lock of the schema, so that nobody else records a key meanwhile. */
async function settleKeys(
  sql: Sql,
  { secrets, columns, acceptsLoss, clock }: CheckParts,
): Promise<Unreadable> {
  const recorded = await recordedKeys(sql)
  const known: readonly string[] = secrets?.keyIds ?? []
  const needed = recorded.length > 0 ? recorded : await keysOfTexts(sql, columns)
  const missing = needed.filter((id) => !known.includes(id))
  const isEarlierRelease = recorded.length === 0 && missing.length < needed.length
  if (missing.length > 0 && !acceptsLoss && !isEarlierRelease)
    throw new SecretKeyError(sentenceOf(known.length, needed.length - missing.length))
  if (!secrets) return {}
  const [current] = secrets.keyIds
  await sql`delete from forgehall.secret_key where id = any(${missing})`
  const kept = [...new Set([current, ...needed.filter((id) => known.includes(id))])]
  await sql`
    insert into forgehall.secret_key (id, added_at)
    select id, ${clock()} from unnest(${kept}::text[]) as id
    on conflict (id) do nothing`
  return missing.length > 0 ? await countUnreadable(sql, columns, known) : {}
}

/** What stands there, and what the operator can do. */
function sentenceOf(known: number, fitting: number): string {
  const loss =
    'if it is lost, start once with SECRET_KEY_LOST=accept: what it encrypted cannot be read any more'
  if (known === 0)
    return `there is neither SECRET_KEY nor secret.key in DATA_DIR, and this database is encrypted; give the key, or, ${loss}`
  if (fitting > 0)
    return `SECRET_KEY lacks a former key that this database still needs; add it behind a comma and run "forgehall secret rekey", or, ${loss}`
  return `SECRET_KEY (or secret.key in DATA_DIR) is not the key of this database; give the former one, or, ${loss}`
}

/** Identifiers of the keys under which something may be encrypted; none in a database that no server has used yet. */
export async function recordedKeys(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from forgehall.secret_key`
  return rows.map(({ id }) => id)
}

/** Forgets these keys, under which nothing is encrypted any more, but never the one named `current`. */
export async function forgetKeys(sql: Sql, ids: readonly string[], current: string): Promise<void> {
  await sql`delete from forgehall.secret_key where id = any(${ids}) and id <> ${current}`
}

async function keysOfTexts(sql: Sql, columns: EncryptedColumns): Promise<string[]> {
  const found = new Set<string>()
  for (const { table, column } of Object.values(columns)) {
    const rows = await sql<{ id: string }[]>`
      select distinct ${keyIdOf(sql, column)} as id
      from ${sql(table)}
      where ${sql(column)} is not null`
    for (const { id } of rows) found.add(id)
  }
  return [...found]
}

async function countUnreadable(
  sql: Sql,
  columns: EncryptedColumns,
  known: readonly string[],
): Promise<Unreadable> {
  const unreadable: Record<string, number> = {}
  for (const [what, { table, column }] of Object.entries(columns)) {
    const [row] = await sql<[{ count: number }]>`
      select count(*) as count
      from ${sql(table)}
      where ${keyIdOf(sql, column)} <> all(${known})`
    if (row.count > 0) unreadable[what] = row.count
  }
  return unreadable
}

/** In the database: the identifier of the key that a text was sealed under (the layout is that of `secrets.ts`). */
const keyIdOf = (sql: Sql, column: string) => sql`encode(substring(${sql(column)} from 2 for 8), 'hex')`
