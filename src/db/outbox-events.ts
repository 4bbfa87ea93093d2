import type { EventDraft, Sql } from './sql.ts'

/** Where processes on one PostgreSQL server tell each other that the outbox has something for them. */
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
 * Writes events in their order and wakes whoever listens on other connections when the transaction commits. Where nobody
 * can listen the notification goes nowhere and costs nothing.
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

/** Wakes the processes without an event, when the transaction commits. */
export async function notifyProcesses(sql: Sql): Promise<void> {
  await sql`select pg_notify(${wakeChannel}, '')`
}

/** At most `limit` due events, oldest first, held by this transaction; those that others hold are passed over. */
export async function holdDueEvents(sql: Sql, limit: number, now: Date): Promise<StoredEvent[]> {
  return await sql<StoredEvent[]>`
    select id, kind, payload, created_at, failures
    from forge.event
    where due_at <= ${now}
    order by due_at, id
    for update skip locked
    limit ${limit}`
}

/** Removes events that have been spread. */
export async function deleteEvents(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql`
    delete from forge.event
    where id = any(${[...ids]}::bigint[])`
}

/** Puts an event off that could not be spread. */
export async function postponeEvent(sql: Sql, id: number, dueAt: Date, error: string): Promise<void> {
  await sql`
    update forge.event
    set failures = failures + 1, due_at = ${dueAt}, last_error = ${error}
    where id = ${id}`
}
