import { randomUUID } from 'node:crypto'
import { lease } from '../../../background/claim.ts'
import type { Secrets } from '../../../db/encryption/secrets.ts'
import { notifyProcesses } from '../../../db/outbox-events.ts'
import { allRows, anyRow } from '../../../db/rows.ts'
import type { Fragment, Sql } from '../../../db/sql.ts'
import { type EncryptedHook, hookPurpose } from './hook-secrets.ts'

/** A delivery to be queued: one event for one hook. `body` is the JSON text that is sent and signed. */
export interface NewDelivery {
  hook_id: number
  /** The coarse and the fine name of the event. */
  event: string
  event_type: string
  body: string
  redelivery_of?: number | null
  /** `X-Request-Id` of the request that the event follows from. */
  request_id?: string | null
}

/** A delivery that this process has claimed, with everything that the request needs. */
export interface ClaimedDelivery extends EncryptedHook {
  id: number
  /** Whose turn it takes: the account that owns the hook or its repository; 0: the site. */
  owner_id: number
  uuid: string
  request_id: string | null
  claim: string
  /** When the claim expires and other processes may claim the delivery. */
  due_at: string
  event: string
  event_type: string
  body: string
  /** Number of attempts before this one. */
  attempts: number
  hook_id: number
  scope: string
  type: string
  content_type: string
  method: string
  active: boolean
}

/** The result of one attempt; `status` is null if there was no response, and `error` then says why. */
export interface Attempt {
  startedAt: Date
  milliseconds: number
  method: string
  /** With masked credentials. */
  url: string
  /** As sent; the authorization is masked. */
  headers: Readonly<Record<string, string>>
  status: number | null
  responseHeaders: Readonly<Record<string, string>> | null
  responseBody: string | null
  error: string | null
}

/** The state of a delivery after an attempt: succeeded, failed for good, or waiting until `dueAt`. */
export type NextAttempt = { state: 'succeeded' | 'failed'; at: Date } | { state: 'waiting'; dueAt: Date }

/** Maximum number of rows per statement: PostgreSQL allows 65,535 parameters. */
const maxRows = 1000

/** Queues deliveries and returns their ids in order. The caller wakes the dispatchers (`notifyProcesses`). */
export async function insertDeliveries(
  sql: Sql,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<number[]> {
  const owners = await ownersOfHooks(sql, [...new Set(deliveries.map(({ hook_id }) => hook_id))])
  const ids: number[] = []
  for (let start = 0; start < deliveries.length; start += maxRows) {
    const rows = deliveries
      .slice(start, start + maxRows)
      .map(({ redelivery_of = null, request_id = null, ...each }) => {
        const owner_id = owners.get(each.hook_id) ?? 0
        return {
          uuid: randomUUID(),
          ...each,
          owner_id,
          redelivery_of,
          request_id,
          due_at: now,
          created_at: now,
        }
      })
    const inserted = await sql<{ id: number }[]>`insert into forge.hook_delivery ${sql(rows)} returning id`
    ids.push(...inserted.map(({ id }) => id))
  }
  return ids
}

/** The accounts that own these hooks or their repositories, by hook; hooks of the site have none. */
async function ownersOfHooks(sql: Sql, hooks: readonly number[]): Promise<Map<number, number>> {
  const rows = await sql<{ hook: number; owner: number }[]>`
    select hook.id as hook, coalesce(hook.owner_id, repository.owner_id) as owner
    from forge.hook
    left join forge.repository on repository.id = hook.repository_id
    where hook.id = any(${[...hooks]}::bigint[]) and scope in ('repository', 'organization', 'user')`
  return new Map(rows.map(({ hook, owner }) => [hook, owner]))
}

/** What may be claimed. */
export interface ClaimLimits {
  /** Free slots of this process. */
  free: number
  /** Those of them that only owners get who have no running attempt. */
  reserved: number
  /** Deliveries of an owner that is not in `busy`. */
  each: number
  /** Owners with running attempts of this process: how many, and how many deliveries may be claimed beside them. */
  busy: readonly { owner: number; running: number; room: number }[]
  /** Hooks whose deliveries are not claimed. */
  passOver: readonly number[]
}

/** How many due deliveries of an owner are searched for one whose hook is not passed over. */
const maxSearched = 1000

/**
 * Claims due deliveries for this process, skipping those that other processes are claiming. Owners take turns: the next
 * delivery is one of the owner with the fewest running attempts, the longest due among these. The effort grows with the
 * number of owners, and not with what one of them has queued. If the process does not report before `until`, it is
 * presumed dead and the delivery is due again.
 */
export const claimDeliveries = (
  sql: Sql,
  { now, until, ...limits }: ClaimLimits & { now: Date; until: Date },
) =>
  allRows(sql<ClaimedDelivery[]>`
    with recursive owner (id) as (
      (select owner_id from forge.hook_delivery where state = 'waiting' order by owner_id limit 1)
      union all
      select (
        select owner_id
        from forge.hook_delivery
        where state = 'waiting' and owner_id > owner.id
        order by owner_id
        limit 1
      )
      from owner
      where id is not null
    ), due as materialized (${dueIn(sql, now, limits)}), claimed as (
      update forge.hook_delivery as delivery
      set claim = ${randomUUID()}, due_at = ${until}
      from due
      where delivery.id = due.id and (due.turn = 1 or due.place <= ${limits.free - limits.reserved}::int)
      returning delivery.id, delivery.owner_id, uuid, claim, delivery.due_at, event, event_type, body, attempts,
        request_id, hook_id
    )
    select claimed.id, claimed.owner_id, uuid, claim, due_at, event, event_type, body, attempts, request_id, hook_id,
      scope, type, address, content_type, method, active, secret, authorization_header
    from claimed
    join forge.hook on hook.id = hook_id
    order by claimed.id`)

/** Due deliveries of `owner`, locked, in the order of turns: which turn of its owner, and which place among all. */
const dueIn = (sql: Sql, now: Date, { free, each, busy, passOver }: ClaimLimits): Fragment => sql`
  select next.id, turn, row_number() over (order by turn, next.due_at, next.id) as place
  from owner
  left join unnest(${busy.map(({ owner }) => owner)}::bigint[], ${busy.map(({ running }) => running)}::int[],
    ${busy.map(({ room }) => room)}::int[]) as busy (owner_id, running, room) on busy.owner_id = owner.id
  cross join lateral (
    select id, due_at, coalesce(running, 0) + row_number() over (order by due_at, id) as turn
    from (
      select id, due_at
      from forge.hook_delivery
      where state = 'waiting' and owner_id = owner.id and due_at <= ${now}
        and hook_id <> all(${[...passOver]}::bigint[])
        and (${passOver.length === 0} or due_at <= coalesce((
          select due_at
          from forge.hook_delivery
          where state = 'waiting' and owner_id = owner.id and due_at <= ${now}
          order by due_at, id
          offset ${maxSearched}
          limit 1
        ), ${now}))
      order by due_at, id
      for update skip locked
      limit coalesce(room, ${each}::int)
    ) as mine
  ) as next
  order by place
  limit ${free}::int`

/**
 * Records an attempt and the next state of the delivery, if the claim is still valid. Returns false if it is not: the
 * hook was deleted, or the attempt took so long that another process claimed the delivery.
 */
export async function finishAttempt(
  sql: Sql,
  secrets: Secrets,
  { id, claim, attempts }: Pick<ClaimedDelivery, 'id' | 'claim' | 'attempts'>,
  attempt: Attempt,
  next: NextAttempt,
): Promise<boolean> {
  const finishedAt = next.state === 'waiting' ? null : next.at
  const dueAt = next.state === 'waiting' ? next.dueAt : next.at
  const address = secrets.encrypt(attempt.url, hookPurpose.attempt(id, attempts + 1))
  const responseHeaders = attempt.responseHeaders && JSON.stringify(attempt.responseHeaders)
  return anyRow(sql`
    with delivery as (
      update forge.hook_delivery
      set state = ${next.state}, attempts = attempts + 1, due_at = ${dueAt}, claim = null,
        finished_at = ${finishedAt}
      where id = ${id} and claim = ${claim}
      returning id, attempts
    )
    insert into forge.hook_attempt (delivery_id, number, started_at, duration_ms, request_method, address,
      request_headers, status, response_headers, response_body, error)
    select id, attempts, ${attempt.startedAt}, ${attempt.milliseconds}, ${attempt.method}, ${address},
      ${JSON.stringify(attempt.headers)}::text::json, ${attempt.status}, ${responseHeaders}::text::json,
      ${attempt.responseBody}, ${attempt.error}
    from delivery`)
}

/** Releases claimed deliveries, which as far as we know were not sent; they are due at once for any process. */
export async function releaseDeliveries(
  sql: Sql,
  claimed: readonly ClaimedDelivery[],
  now: Date,
): Promise<void> {
  await sql`
    update forge.hook_delivery as delivery
    set claim = null, due_at = ${now}
    from unnest(${claimed.map(({ id }) => id)}::bigint[], ${claimed.map(({ claim }) => claim)}::uuid[]) as input (id, claim)
    where delivery.id = input.id and delivery.claim = input.claim`
  await notifyProcesses(sql)
}

/**
 * Makes deliveries due that were written before the clock was set back. Claims end after the usual time from now on.
 */
export async function bringDeliveriesForward(sql: Sql, now: Date): Promise<void> {
  const until = new Date(now.getTime() + lease)
  await sql`
    update forge.hook_delivery
    set due_at = case when claim is null then ${now}::timestamptz else ${until}::timestamptz end
    where state = 'waiting' and due_at > ${until} and (claim is not null or created_at > ${now})`
}

/** Releases all claims of other processes. Call it only when no other process can be running. */
export async function releaseAllDeliveries(sql: Sql, now: Date): Promise<void> {
  await sql`
    update forge.hook_delivery
    set claim = null, due_at = ${now}
    where state = 'waiting' and claim is not null`
}
