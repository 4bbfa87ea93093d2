import type { Sql } from '../../db/sql.ts'

/** A stored request with a key. */
interface StoredAnswer {
  id: number
  /** SHA-256 of its query and body. */
  request: Buffer
  sealed: Buffer | null
}

/** What the answer of a row is encrypted for. */
export const answerPurpose = (id: number) => `idempotency key ${id}`

/** Takes the key until the end of the transaction; false while another transaction has it. */
export async function tryLock(sql: Sql, digest: Buffer): Promise<boolean> {
  const [row] = await sql<{ taken: boolean }[]>`
    select pg_try_advisory_xact_lock(${digest.readBigInt64BE().toString()}::bigint) as taken`
  return row?.taken ?? false
}

/** The request under this key that was made after `since`. */
export async function answerUnder(sql: Sql, digest: Buffer, since: Date): Promise<StoredAnswer | undefined> {
  const [row] = await sql<StoredAnswer[]>`
    select id, request, sealed
    from forgehall.idempotency_key
    where digest = ${digest} and created_at > ${since}`
  return row
}

/** Notes a request; one that is older than a day gives way. Returns the id of the row. */
export async function insertKey(
  sql: Sql,
  { digest, request, now }: { digest: Buffer; request: Buffer; now: Date },
): Promise<number> {
  await sql`delete from forgehall.idempotency_key where digest = ${digest}`
  const [row] = await sql<[{ id: number }]>`
    insert into forgehall.idempotency_key (digest, request, created_at)
    values (${digest}, ${request}, ${now})
    returning id`
  return row.id
}

export async function storeAnswer(sql: Sql, id: number, sealed: Buffer): Promise<void> {
  await sql`
    update forgehall.idempotency_key
    set sealed = ${sealed}
    where id = ${id}`
}

/** Removes up to `count` of the keys that were noted before a time; returns how many there were. */
export async function deleteKeysBefore(sql: Sql, before: Date, count: number): Promise<number> {
  const removed = await sql`
    delete from forgehall.idempotency_key
    where id in (
      select id
      from forgehall.idempotency_key
      where created_at <= ${before}
      order by created_at, id
      limit ${count})
    returning id`
  return removed.length
}
