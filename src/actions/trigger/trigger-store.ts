import { randomUUID } from 'node:crypto'
import { lease } from '../../background/claim.ts'
import { allRows, anyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { Json } from '../workflow/values.ts'

/** The only writer of triggers: events that wait to be evaluated for workflows. */

/** An event. */
interface TriggerFacts {
  repository_id: number
  /** An event of the syntax of workflows (`workflow/on.ts`); or server_job, which is no event. */
  kind: string
  ref: string
  /** Object ids; null where there is none. */
  before: string | null
  after: string | null
  actor_id: number | null
  /** Caused by a job, so it may not start workflows. */
  by_bot: boolean
}

/** An event to queue. */
export interface TriggerDraft extends TriggerFacts {
  /** Owner of the repository at the time of the event; absent: it does not matter. */
  owner_id?: number
  /** Becomes `github.event`. */
  payload: object
}

export interface Trigger extends TriggerFacts {
  id: number
  failures: number
  /** Random id of the claim. */
  claim: string
  payload: Json
}

/** A claimed trigger. */
type Claimed = Pick<Trigger, 'id' | 'claim'>

/**
 * Queues events. Those of deleted repositories and of former owners are dropped; those of deleted actors lose the actor.
 */
export async function insertTriggers(sql: Sql, triggers: readonly TriggerDraft[], now: Date): Promise<void> {
  // Payloads are passed as text: json_to_recordset must not parse them, since PostgreSQL accepts fewer characters than
  // JSON.
  const rows = triggers.map((each, position) => ({
    ...each,
    position,
    payload: JSON.stringify(each.payload),
  }))
  await sql`
    insert into forge.action_trigger
      (repository_id, kind, ref, before, after, actor_id, by_bot, payload, created_at, due_at)
    select repository.id, input.kind, ref, before, after, account.id, by_bot, payload::json, ${now}, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as input (
      position integer, repository_id bigint, owner_id bigint, kind text, ref text, before text, after text, actor_id bigint,
      by_bot boolean, payload text
    )
    join forge.repository on repository.id = repository_id and repository.owner_id = coalesce(input.owner_id, repository.owner_id)
    left join forge.account on account.id = actor_id
    order by position`
}

/**
 * Queues the attempts with jobs that wait for the server (`run/server-job.ts`), each as one of these jobs. Two processes may
 * queue the same one: the second finds nothing to do.
 */
export async function insertServerJobs(sql: Sql, now: Date): Promise<void> {
  await sql`
    insert into forge.action_trigger (repository_id, kind, ref, by_bot, payload, created_at, due_at)
    select job.repository_id, 'server_job', '', true, json_build_object('job', min(job.id)), ${now}, ${now}
    from forge.action_job as job
    join forge.repository on repository.id = job.repository_id and repository.state = 'ready'
    where job.payload is null and job.status = 'queued' and num_nonnulls(job.expansion, job.caller) > 0 and not exists (
      select
      from forge.action_trigger as queued
      join forge.action_job as beside on beside.id = (queued.payload ->> 'job')::bigint
      where queued.repository_id = job.repository_id and queued.kind = 'server_job'
        and beside.run_id = job.run_id and beside.attempt = job.attempt
    )
    group by job.repository_id, job.run_id, job.attempt
    order by min(job.id)`
}

/**
 * Claims at most `limit` due triggers for this process. A claim that is not extended before `until` expires, and the
 * trigger is due again. Claims only the oldest trigger of a repository, so that runs are numbered in the order of their
 * events; a trigger that has failed before does not block later ones.
 */
export const claimTriggers = (sql: Sql, { limit, now, until }: { limit: number; now: Date; until: Date }) =>
  allRows(sql<Trigger[]>`
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
    returning trigger.id, repository_id, kind, ref, before, after, actor_id, by_bot, payload, failures, claim`)

/** Heartbeat: extends those claims that are still valid. */
export async function extendClaims(sql: Sql, claims: readonly Claimed[], until: Date): Promise<void> {
  await sql`
    update forge.action_trigger as trigger
    set due_at = ${until}
    from unnest(${claims.map(({ id }) => id)}::bigint[], ${claims.map(({ claim }) => claim)}::uuid[]) as input (id, claim)
    where trigger.id = input.id and trigger.claim = input.claim`
}

/** Releases a trigger that was not evaluated completely, if the claim is still valid; it is due at once. */
export async function releaseTrigger(sql: Sql, { id, claim }: Claimed, now: Date): Promise<void> {
  await sql`
    update forge.action_trigger
    set claim = null, due_at = ${now}
    where id = ${id} and claim = ${claim}`
}

/** Releases all claims; only for a process that knows that no other one runs. */
export async function releaseTriggers(sql: Sql, now: Date): Promise<void> {
  await sql`
    update forge.action_trigger
    set claim = null, due_at = ${now}
    where claim is not null`
}

/**
 * Makes triggers due that were written before the clock was set back. Claims of other processes expire after the usual time
 * from now on, unless these extend them.
 */
export async function bringTriggersForward(sql: Sql, now: Date): Promise<void> {
  const until = new Date(now.getTime() + lease)
  await sql`
    update forge.action_trigger
    set due_at = case when claim is null then ${now}::timestamptz else ${until}::timestamptz end
    where due_at > ${until} and (claim is not null or created_at > ${now})`
}

/** Deletes an evaluated trigger; returns whether the claim was still valid. */
export const deleteTrigger = (sql: Sql, { id, claim }: Claimed) =>
  anyRow(sql`
    delete from forge.action_trigger
    where id = ${id} and claim = ${claim}`)

/** Deletes the triggers of a repository. */
export async function deleteTriggersOf(tx: Tx, repository: number): Promise<void> {
  await tx`
    delete from forge.action_trigger
    where repository_id = ${repository}`
}

/** Postpones a trigger that could not be evaluated, if the claim is still valid. */
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
