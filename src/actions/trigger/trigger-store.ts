import { randomUUID } from 'node:crypto'
import type { Sql } from '../../db/sql.ts'

/** Events that are still to be looked at for workflows. The only writer of triggers. */
export interface TriggerDraft {
  repository_id: number
  /** push, create, delete */
  kind: string
  ref: string
  /** Object ids; null where there is none. */
  before: string | null
  after: string | null
  actor_id: number | null
  /** Caused by a job: it may not start others. */
  by_bot: boolean
  /** What `github.event` will be. */
  payload: unknown
}

export interface Trigger extends TriggerDraft {
  id: number
  failures: number
  /** The mark of whoever took it. */
  claim: string
}

/** A trigger that was taken. */
type Claimed = Pick<Trigger, 'id' | 'claim'>

/** Queues events; those of repositories or actors that have gone are dropped, or lose their actor. */
export async function insertTriggers(sql: Sql, triggers: readonly TriggerDraft[], now: Date): Promise<void> {
  // As texts: what is inside them must not be read by the database, which takes fewer characters than JSON has.
  const rows = triggers.map((each) => ({ ...each, payload: JSON.stringify(each.payload) }))
  await sql`
    insert into forge.action_trigger
      (repository_id, kind, ref, before, after, actor_id, by_bot, payload, created_at, due_at)
    select repository.id, given.kind, ref, before, after, account.id, by_bot, payload::json, ${now}, ${now}
    from rows from (json_to_recordset(${JSON.stringify(rows)}::text::json) as (
      repository_id bigint, kind text, ref text, before text, after text, actor_id bigint, by_bot boolean, payload text
    )) with ordinality as given (repository_id, kind, ref, before, after, actor_id, by_bot, payload, place)
    join forge.repository on repository.id = repository_id
    left join forge.account on account.id = actor_id
    order by place`
}

/**
 * Takes at most `limit` due events for this process. Whoever shows no sign of life before `until` is taken to be dead, and
 * the event is due again. Of one repository only the oldest is taken, so that runs are numbered in the order of their
 * events; one that has failed before holds nobody up.
 */
export async function claimTriggers(
  sql: Sql,
  { limit, now, until }: { limit: number; now: Date; until: Date },
): Promise<Trigger[]> {
  return await sql<Trigger[]>`
    with due as materialized (
      select id
      from forge.action_trigger as candidate
      where due_at <= ${now}
        and not exists (
          select
          from forge.action_trigger as older
          where older.repository_id = candidate.repository_id and older.id < candidate.id and older.failures = 0
        )
      order by due_at, id
      for update skip locked
      limit ${limit}
    )
    update forge.action_trigger as trigger
    set claim = ${randomUUID()}, due_at = ${until}
    from due
    where trigger.id = due.id
    returning trigger.id, repository_id, kind, ref, before, after, actor_id, by_bot, payload, failures, claim`
}

/** A sign of life: those that are still ours stay so until another moment. */
export async function keepTriggers(sql: Sql, claimed: readonly Claimed[], until: Date): Promise<void> {
  await sql`
    update forge.action_trigger as trigger
    set due_at = ${until}
    from unnest(${claimed.map(({ id }) => id)}::bigint[], ${claimed.map(({ claim }) => claim)}::uuid[]) as given (id, claim)
    where trigger.id = given.id and trigger.claim = given.claim`
}

/** Gives back an event that was not looked at to its end, if it is still ours: it is due at once. */
export async function releaseTrigger(sql: Sql, { id, claim }: Claimed, now: Date): Promise<void> {
  await sql`
    update forge.action_trigger
    set claim = null, due_at = ${now}
    where id = ${id} and claim = ${claim}`
}

/** Makes due what other processes had taken, where it is known that none of them is left. */
export async function releaseTriggers(sql: Sql, now: Date): Promise<void> {
  await sql`
    update forge.action_trigger
    set claim = null, due_at = ${now}
    where claim is not null`
}

/** Removes an event that has been looked at, if it is still ours; gives whether it was. */
export async function deleteTrigger(sql: Sql, { id, claim }: Claimed): Promise<boolean> {
  const { count } = await sql`
    delete from forge.action_trigger
    where id = ${id} and claim = ${claim}`
  return count === 1
}

/** Puts off an event that could not be looked at, if it is still ours. */
export async function postponeTrigger(
  sql: Sql,
  { id, claim }: Claimed,
  dueAt: Date,
  error: string,
): Promise<void> {
  await sql`
    update forge.action_trigger
    set claim = null, failures = failures + 1, due_at = ${dueAt}, last_error = ${error}
    where id = ${id} and claim = ${claim}`
}
