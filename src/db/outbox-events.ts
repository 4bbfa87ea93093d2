import { allRows } from './rows.ts'
import type { EventDraft, Sql, Tx } from './sql.ts'

/** Notification channel on which processes on one PostgreSQL server announce new work in the outbox. */
export const wakeChannel = 'forgehall_outbox'

/** A row of the outbox. */
export interface StoredEvent {
  id: number
  kind: string
  payload: unknown
  created_at: string
  failures: number
  /** `X-Request-Id` of the request that it follows from, if it follows from one. */
  request_id: string | null
}

/**
 * Inserts events in order and notifies listening processes when the transaction commits. On the embedded database the
 * notification has no listener and costs nothing. `requestId` is for events without an id.
 */
export async function insertEvents(
  sql: Sql,
  events: readonly EventDraft[],
  { now, requestId }: Pick<Tx, 'now' | 'requestId'>,
): Promise<void> {
  const kinds = events.map(({ kind }) => kind)
  const payloads = events.map(({ payload }) => JSON.stringify(payload))
  const requests = events.map((event) => event.requestId ?? requestId ?? null)
  await sql`
    with event as (
      insert into forge.event (kind, payload, created_at, due_at, request_id)
      select kind, payload::json, ${now}, ${now}, request_id
      from unnest(${kinds}::text[], ${payloads}::text[], ${requests}::text[]) with ordinality
        as draft (kind, payload, request_id, place)
      order by place
    )
    select pg_notify(${wakeChannel}, '')`
}

/** Notifies the processes without an event, when the transaction commits. */
export async function notifyProcesses(sql: Sql): Promise<void> {
  await sql`select pg_notify(${wakeChannel}, '')`
}

/** At most `limit` due events, oldest first, locked by this transaction; skips events that others have locked. */
export const holdDueEvents = (sql: Sql, limit: number, now: Date) =>
  allRows(sql<StoredEvent[]>`
    select id, kind, payload, created_at, failures, request_id
    from forge.event
    where due_at <= ${now}
    order by due_at, id
    for update skip locked
    limit ${limit}`)

/** Makes events due that were written before the clock was set back. */
export async function bringEventsForward(sql: Sql, now: Date): Promise<void> {
  await sql`
    update forge.event
    set due_at = ${now}
    where due_at > ${now} and created_at > ${now}`
}

/** Deletes events that have been dispatched. */
export async function deleteEvents(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql`
    delete from forge.event
    where id = any(${[...ids]}::bigint[])`
}

/** Postpones an event that could not be dispatched. */
export async function postponeEvent(sql: Sql, id: number, dueAt: Date, error: string): Promise<void> {
  await sql`
    update forge.event
    set failures = failures + 1, due_at = ${dueAt}, last_error = ${error}
    where id = ${id}`
}
