import { randomUUID } from 'node:crypto'
import type { Secrets } from '../../../db/encryption/secrets.ts'
import { notifyProcesses } from '../../../db/outbox-events.ts'
import type { Sql } from '../../../db/sql.ts'
import { hookPurpose, type KeptAddress } from './hook-secrets.ts'

/** One event for one hook, to be sent. `body` is the JSON text that is sent and signed. */
export interface NewDelivery {
  hookId: number
  /** The coarse name of the event, and the fine one. */
  event: string
  eventType: string
  body: string
  redeliveryOf?: number | null
}

/** A delivery whose attempt this process makes, with what the request is made of. */
export interface ClaimedDelivery extends KeptAddress {
  id: number
  uuid: string
  claim: string
  /** When it is due for others. */
  due_at: string
  event: string
  event_type: string
  body: string
  /** Attempts that were made before this one. */
  attempts: number
  hook_id: number
  scope: string
  type: string
  content_type: string
  method: string
  active: boolean
  secret: Buffer | null
  authorization_header: Buffer | null
}

/** What one attempt was; `status` is null when no response came, and `error` says why. */
export interface Attempt {
  startedAt: Date
  milliseconds: number
  method: string
  /** With user and password masked. */
  url: string
  /** As sent; the authorization is masked. */
  headers: Readonly<Record<string, string>>
  status: number | null
  responseHeaders: Readonly<Record<string, string>> | null
  responseBody: string | null
  error: string | null
}

/** What becomes of a delivery after an attempt: done, given up, or waiting until `dueAt`. */
export type NextAttempt = { state: 'succeeded' | 'failed'; at: Date } | { state: 'waiting'; dueAt: Date }

/** Rows of one statement at most: PostgreSQL takes 65,535 parameters. */
const mostRows = 1000

/** Queues deliveries; gives their ids in the given order. Whoever does it wakes those who send (`notifyProcesses`). */
export async function insertDeliveries(
  sql: Sql,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<number[]> {
  const ids: number[] = []
  for (let at = 0; at < deliveries.length; at += mostRows) {
    const rows = deliveries.slice(at, at + mostRows).map((each) => rowOf(each, now))
    const inserted = await sql<{ id: number }[]>`insert into forge.hook_delivery ${sql(rows)} returning id`
    ids.push(...inserted.map(({ id }) => id))
  }
  return ids
}

function rowOf({ hookId, event, eventType, body, redeliveryOf = null }: NewDelivery, now: Date) {
  return {
    uuid: randomUUID(),
    hook_id: hookId,
    event,
    event_type: eventType,
    body,
    redelivery_of: redeliveryOf,
    due_at: now,
    created_at: now,
  }
}

/**
 * Takes at most `limit` due deliveries for this process, the longest due first, passing over those that others take
 * and those of the hooks in `passOver`. Whoever does not report before `until` is taken to be dead, and the delivery is
 * due again.
 */
export async function claimDeliveries(
  sql: Sql,
  { limit, now, until, passOver }: { limit: number; now: Date; until: Date; passOver: readonly number[] },
): Promise<ClaimedDelivery[]> {
  return await sql<ClaimedDelivery[]>`
    with due as materialized (
      select id
      from forge.hook_delivery
      where state = 'waiting'
        and due_at <= ${now}
        and hook_id <> all(${[...passOver]}::bigint[])
      order by due_at, id
      for update skip locked
      limit ${limit}
    ), claimed as (
      update forge.hook_delivery as delivery
      set claim = ${randomUUID()}, due_at = ${until}
      from due
      where delivery.id = due.id
      returning delivery.id, uuid, claim, delivery.due_at, event, event_type, body, attempts, hook_id
    )
    select claimed.id, uuid, claim, due_at, event, event_type, body, attempts, hook_id,
      scope, type, address, url as clear, content_type, method, active, secret, authorization_header
    from claimed
    join forge.hook on hook.id = hook_id
    order by claimed.id`
}

/**
 * Records an attempt and what becomes of the delivery, if the claim still holds. False when it does not: the hook is
 * gone, or the attempt took so long that another process made it again.
 */
export async function finishAttempt(
  sql: Sql,
  secrets: Secrets,
  { id, claim, attempts }: Pick<ClaimedDelivery, 'id' | 'claim' | 'attempts'>,
  attempt: Attempt,
  outlook: NextAttempt,
): Promise<boolean> {
  const finishedAt = outlook.state === 'waiting' ? null : outlook.at
  const dueAt = outlook.state === 'waiting' ? outlook.dueAt : outlook.at
  const address = secrets.seal(attempt.url, hookPurpose.attempt(id, attempts + 1))
  const responseHeaders = attempt.responseHeaders && JSON.stringify(attempt.responseHeaders)
  const recorded = await sql`
    with delivery as (
      update forge.hook_delivery
      set state = ${outlook.state}, attempts = attempts + 1, due_at = ${dueAt}, claim = null,
        finished_at = ${finishedAt}
      where id = ${id} and claim = ${claim}
      returning id, attempts
    )
    insert into forge.hook_attempt (delivery_id, number, started_at, duration_ms, request_method, address,
      request_headers, status, response_headers, response_body, error)
    select id, attempts, ${attempt.startedAt}, ${attempt.milliseconds}, ${attempt.method}, ${address},
      ${JSON.stringify(attempt.headers)}::text::json, ${attempt.status}, ${responseHeaders}::text::json,
      ${attempt.responseBody}, ${attempt.error}
    from delivery`
  return recorded.count === 1
}

/** Gives claimed deliveries back, unsent as far as we know: they are due at once, for whoever takes them. */
export async function releaseDeliveries(
  sql: Sql,
  claimed: readonly ClaimedDelivery[],
  now: Date,
): Promise<void> {
  await sql`
    update forge.hook_delivery as delivery
    set claim = null, due_at = ${now}
    from unnest(${claimed.map(({ id }) => id)}::bigint[], ${claimed.map(({ claim }) => claim)}::uuid[]) as given (id, claim)
    where delivery.id = given.id and delivery.claim = given.claim`
  await notifyProcesses(sql)
}

/** Makes due what other processes had taken, where it is known that none of them is left. */
export async function releaseAllDeliveries(sql: Sql, now: Date): Promise<void> {
  await sql`
    update forge.hook_delivery
    set claim = null, due_at = ${now}
    where state = 'waiting' and claim is not null`
}
