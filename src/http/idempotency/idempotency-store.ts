import { firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'

/** A stored request with a key. */
interface StoredAnswer {
  id: number
  /** SHA-256 of its query and body. */
  request: Buffer
  /** Encrypted; null while the request runs. */
  sealed: Buffer | null
  is_running: boolean
}

/** The purpose for which the answer of a row is encrypted. */
export const answerPurpose = (id: number) => `idempotency key ${id}`

/** Takes the key until the end of the transaction; false while another transaction has it. */
export async function tryLock(sql: Sql, digest: Buffer): Promise<boolean> {
  const { taken } = await onlyRow(sql<[{ taken: boolean }]>`
    select pg_try_advisory_xact_lock(${digest.readBigInt64BE().toString()}::bigint) as taken`)
  return taken
}

/** The request under this key that was made after `since`; `runningSince`: older ones that have no answer have ended. */
export const answerUnder = (
  sql: Sql,
  digest: Buffer,
  { since, runningSince }: { since: Date; runningSince: Date },
) =>
  firstRow(sql<StoredAnswer[]>`
    select id, request, sealed, sealed is null and created_at > ${runningSince} as is_running
    from forgehall.idempotency_key
    where digest = ${digest} and created_at > ${since}`)

/** Inserts a request in place of an outdated one under the same key; returns the id of the row. */
export async function insertKey(
  sql: Sql,
  { digest, request, now }: { digest: Buffer; request: Buffer; now: Date },
): Promise<number> {
  await sql`delete from forgehall.idempotency_key where digest = ${digest}`
  const { id } = await onlyRow(sql<[{ id: number }]>`
    insert into forgehall.idempotency_key (digest, request, created_at)
    values (${digest}, ${request}, ${now})
    returning id`)
  return id
}

export async function storeAnswer(sql: Sql, id: number, sealed: Buffer): Promise<void> {
  await sql`
    update forgehall.idempotency_key
    set sealed = ${sealed}
    where id = ${id}`
}

/** Deletes a request that has no answer. */
export async function deleteKey(sql: Sql, id: number): Promise<void> {
  await sql`
    delete from forgehall.idempotency_key
    where id = ${id} and sealed is null`
}

/** Deletes up to `limit` of the keys that were inserted before a time; returns their number. */
export async function deleteKeysBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const { count } = await sql`
    delete from forgehall.idempotency_key
    where id in (
      select id
      from forgehall.idempotency_key
      where created_at <= ${before}
      order by created_at, id
      limit ${limit})`
  return count
}
