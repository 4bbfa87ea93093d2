import type { Secrets } from '../../../db/encryption/secrets.ts'
import type { Sql, Tx } from '../../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../../http/route/page.ts'
import { insertDeliveries } from './deliveries.ts'
import { hookPurpose, type KeptAddress, knownAddress } from './hook-secrets.ts'

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
  /** Null while it waits. */
  finished_at: string | null
  /** When the next attempt is due; null when there will be none. */
  next_attempt_at: string | null
  /** Of the last attempt; null when it had no response, or there was none yet. */
  status: number | null
}

/** An attempt as the history shows it. */
export interface StoredAttempt {
  number: number
  started_at: string
  duration_ms: number
  request_method: string
  /** With user and password masked; empty where no key opens it. */
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

/** The deliveries of a hook, newest first: one statement, also where the page is empty. */
export async function pageOfDeliveries(
  sql: Sql,
  hookId: number,
  paging: Paging,
): Promise<Page<StoredDelivery>> {
  const rows = await sql<({ total: number } & (StoredDelivery | { id: null }))[]>`
    select (select count(*)::bigint from forge.hook_delivery where hook_id = ${hookId}) as total, delivery.*
    from (select) as always
    left join (
      select ${columns(sql)}
      from forge.hook_delivery as delivery
      where hook_id = ${hookId}
      order by delivery.id desc
      limit ${paging.limit}
      offset ${offsetOf(paging)}
    ) as delivery on true
    order by delivery.id desc`
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0, ...paging }
}

/** One delivery of a hook with the text that is sent; undefined when the hook has none of that id. */
export async function deliveryOfHook(
  sql: Sql,
  hookId: number,
  id: number,
): Promise<(StoredDelivery & { body: string }) | undefined> {
  const [delivery] = await sql<(StoredDelivery & { body: string })[]>`
    select ${columns(sql)}, delivery.body
    from forge.hook_delivery as delivery
    where hook_id = ${hookId} and id = ${id}`
  return delivery
}

/** The attempts of a delivery, the first one first. */
export async function attemptsOfDelivery(
  sql: Sql,
  secrets: Secrets,
  deliveryId: number,
): Promise<StoredAttempt[]> {
  const rows = await sql<(Omit<StoredAttempt, 'request_url'> & KeptAddress)[]>`
    select number, started_at, duration_ms, request_method, address, request_url as clear, request_headers, status,
      response_headers, response_body, error
    from forge.hook_attempt
    where delivery_id = ${deliveryId}
    order by number`
  return rows.map(({ address, clear, ...row }) => ({
    ...row,
    request_url: knownAddress(secrets, { address, clear }, hookPurpose.attempt(deliveryId, row.number)),
  }))
}

/**
 * Sends a delivery once more: a new delivery with a new uuid and the same text, which has all its attempts before it.
 * Gives its id; undefined when the hook has no delivery of that id.
 */
export async function redeliver(tx: Tx, hookId: number, id: number): Promise<number | undefined> {
  const delivery = await deliveryOfHook(tx, hookId, id)
  if (!delivery) return undefined
  const { event, event_type: eventType, body } = delivery
  const [again] = await insertDeliveries(tx, [{ hookId, event, eventType, body, redeliveryOf: id }], tx.now)
  await tx.wake()
  return again
}

/** Removes what was finished before this moment, at most `limit` deliveries at a time; gives how many. */
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

/** Removes finished deliveries of every hook but its newest `keep`; gives how many. */
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
