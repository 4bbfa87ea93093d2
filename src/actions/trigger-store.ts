import type { Sql } from '../db/sql.ts'

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
  /** Until when it is ours; moved on by whoever takes it after that. */
  due_at: string
}

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
 * Takes at most `limit` due events for this process. Whoever does not finish before `until` is taken to be dead, and the
 * event is due again. Of one repository only the oldest is taken, so that runs are numbered in the order of their
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
    set due_at = ${until}
    from due
    where trigger.id = due.id
    returning trigger.id, repository_id, kind, ref, before, after, actor_id, by_bot, payload, failures, due_at`
}

/** Makes due what other processes had taken, where it is known that none of them is left. */
export async function releaseTriggers(sql: Sql, now: Date): Promise<void> {
  await sql`
    update forge.action_trigger
    set due_at = ${now}
    where due_at > ${now} and failures = 0`
}

/** Removes an event that has been looked at, if it is still ours; gives whether it was. */
export async function deleteTrigger(sql: Sql, { id, due_at }: Trigger): Promise<boolean> {
  const { count } = await sql`
    delete from forge.action_trigger
    where id = ${id} and due_at = ${due_at}`
  return count === 1
}

/** Puts off an event that could not be looked at, if it is still ours. */
export async function postponeTrigger(
  sql: Sql,
  { id, due_at }: Trigger,
  dueAt: Date,
  error: string,
): Promise<void> {
  await sql`
    update forge.action_trigger
    set failures = failures + 1, due_at = ${dueAt}, last_error = ${error}
    where id = ${id} and due_at = ${due_at}`
}
