import type { Secrets } from '../../../db/encryption/secrets.ts'
import { type Paging, pageOf } from '../../../db/page.ts'
import { firstRow, onlyRow } from '../../../db/rows.ts'
import type { Sql, Tx } from '../../../db/sql.ts'
import { insertDeliveries } from './delivery-store.ts'
import { hookPurpose, readableAddress } from './hook-secrets.ts'

/** A delivery as the history shows it. */
export interface StoredDelivery {
  id: number
  uuid: string
  hook_id: number
  event: string
  event_type: string
  state: 'waiting' | 'succeeded' | 'failed'
  attempts: number
  redelivery_of: number | null
  created_at: string
  /** Null while it is waiting. */
  finished_at: string | null
  /** When the next attempt is due; null if there will be none. */
  next_attempt_at: string | null
  /** Of the last attempt; null if it got no response, or if there was no attempt yet. */
  status: number | null
}

/** An attempt as the history shows it. */
export interface StoredAttempt {
  number: number
  started_at: string
  duration_ms: number
  request_method: string
  /** With masked credentials; empty if no configured key decrypts it. */
  request_url: string
  request_headers: Readonly<Record<string, string>>
  status: number | null
  response_headers: Readonly<Record<string, string>> | null
  response_body: string | null
  error: string | null
}

const columns = (sql: Sql) => sql`
  delivery.id, delivery.uuid, delivery.hook_id, delivery.event, delivery.event_type, delivery.state,
  delivery.attempts, delivery.redelivery_of, delivery.created_at, delivery.finished_at,
  case delivery.state when 'waiting' then delivery.due_at end as next_attempt_at,
  (
    select status
    from forge.hook_attempt
    where delivery_id = delivery.id
    order by number desc
    limit 1
  ) as status`

/** A page of the deliveries of a hook, newest first; one statement, also for an empty page. */
export const pageOfDeliveries = (sql: Sql, hookId: number, paging: Paging) =>
  pageOf<StoredDelivery>(sql, paging, {
    from: sql`from forge.hook_delivery as delivery where hook_id = ${hookId}`,
    columns: columns(sql),
    by: sql`order by id desc`,
  })

/** A delivery with what is sent. */
interface SentDelivery extends StoredDelivery {
  body: string
  request_id: string | null
}

/** One delivery of a hook with the text that is sent; undefined if the hook has no delivery with this id. */
export const deliveryOfHook = (sql: Sql, hookId: number, id: number) =>
  firstRow(sql<SentDelivery[]>`
    select ${columns(sql)}, delivery.body, delivery.request_id
    from forge.hook_delivery as delivery
    where hook_id = ${hookId} and id = ${id}`)

/** The attempts of a delivery, oldest first. */
export async function attemptsOfDelivery(
  sql: Sql,
  secrets: Secrets,
  deliveryId: number,
): Promise<StoredAttempt[]> {
  const rows = await sql<(Omit<StoredAttempt, 'request_url'> & { address: Buffer })[]>`
    select number, started_at, duration_ms, request_method, address, request_headers, status,
      response_headers, response_body, error
    from forge.hook_attempt
    where delivery_id = ${deliveryId}
    order by number`
  return rows.map(({ address, ...row }) => ({
    ...row,
    request_url: readableAddress(secrets, address, hookPurpose.attempt(deliveryId, row.number)),
  }))
}

/** How many deliveries of all hooks were given up since then; counted up to a thousand. */
export const countFailedDeliveries = (sql: Sql, since: Date) =>
  onlyRow(sql<[{ count: number }]>`
    select count(*) as count
    from (
      select from forge.hook_delivery where finished_at >= ${since} and state = 'failed' limit 1000) as failed`)

/**
 * Queues a copy of a delivery with a new uuid, the same text and request id, and no attempts yet. Returns its id;
 * undefined if the hook has no delivery with this id.
 */
export async function redeliver(tx: Tx, hookId: number, id: number): Promise<number | undefined> {
  const delivery = await deliveryOfHook(tx, hookId, id)
  if (!delivery) return undefined
  const { hook_id, event, event_type, body, request_id } = delivery
  const copy = { hook_id, event, event_type, body, request_id, redelivery_of: id }
  const [newId] = await insertDeliveries(tx, [copy], tx.now)
  await tx.wake()
  return newId
}

/** Deletes deliveries that finished before a time, at most `limit`; returns how many. */
export async function removeDeliveriesBefore(sql: Sql, moment: Date, limit: number): Promise<number> {
  const removed = await sql`
    delete from forge.hook_delivery
    where id in (
      select id
      from forge.hook_delivery
      where finished_at < ${moment}
      order by finished_at
      limit ${limit}
    )`
  return removed.count
}

/** Deletes the finished deliveries of every hook except its newest `keep`; returns how many. */
export async function removeAllButNewestDeliveries(sql: Sql, keep: number): Promise<number> {
  const removed = await sql`
    delete from forge.hook_delivery
    where finished_at is not null
      and id in (
        select older.id
        from forge.hook
        cross join lateral (
          select id
          from forge.hook_delivery
          where hook_id = hook.id
          order by id desc
          offset ${keep}
        ) as older
      )`
  return removed.count
}
