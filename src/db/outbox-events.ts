import type { EventDraft, Sql } from './sql.ts'

/** Notification channel on which processes on one PostgreSQL server announce new work in the outbox. */
export const wakeChannel = 'forgehall_outbox'

/** A row of the outbox. */
export interface StoredEvent {
  id: number
  kind: string
  payload: unknown
  created_at: string
  failures: number
}

/**
 * Inserts events in order and notifies listening processes when the transaction commits. On the embedded database the
 * notification has no listener and costs nothing.
 */
export async function insertEvents(sql: Sql, events: readonly EventDraft[], now: Date): Promise<void> {
  const kinds = events.map(({ kind }) => kind)
  const payloads = events.map(({ payload }) => JSON.stringify(payload))
  await sql`
    with event as (
      insert into forge.event (kind, payload, created_at, due_at)
      select kind, payload::json, ${now}, ${now}
      from unnest(${kinds}::text[], ${payloads}::text[]) with ordinality as draft (kind, payload, place)
      order by place
    )
    select pg_notify(${wakeChannel}, '')`
}

/** Notifies the processes without an event, when the transaction commits. */
export async function notifyProcesses(sql: Sql): Promise<void> {
  await sql`select pg_notify(${wakeChannel}, '')`
}

/** At most `limit` due events, oldest first, locked by this transaction; skips events that others have locked. */
export async function holdDueEvents(sql: Sql, limit: number, now: Date): Promise<StoredEvent[]> {
  return await sql<StoredEvent[]>`
    select id, kind, payload, created_at, failures
    from forge.event
    where due_at <= ${now}
    order by due_at, id
    for update skip locked
    limit ${limit}`
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
