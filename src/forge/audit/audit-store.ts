import { allRows } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

export interface AuditRow {
  id: number
  at: string
  actor_id: number | null
  actor_name: string
  acting_as: string | null
  action: string
  target_kind: string
  target_id: number | null
  target_name: string
  address: string
  request_id: string | null
  details: Record<string, unknown>
}

interface AuditFilter {
  actor: string
  target: string
  action: string
  since: Date | undefined
  before: Date | undefined
  cursor: number
}

/**
 * The newest entries, at most `limit`. The statement has only the conditions of filters that are set, so that PostgreSQL
 * plans each combination for its index.
 */
export function newestEntries(sql: Sql, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const { actor, target, action, since, before, cursor } = filter
  return allRows(sql<AuditRow[]>`
    select id, at, actor_id, actor_name, acting_as, action, target_kind, target_id, target_name, address, request_id,
      details
    from forge.audit
    where true
      ${actor === '' ? sql`` : sql`and lower(actor_name) = lower(${actor})`}
      ${target === '' ? sql`` : sql`and lower(target_name) = lower(${target})`}
      ${action === '' ? sql`` : sql`and action = ${action}`}
      ${since === undefined ? sql`` : sql`and at >= ${since}`}
      ${before === undefined ? sql`` : sql`and at < ${before}`}
      ${cursor > 0 ? sql`and id < ${cursor}` : sql``}
    order by id desc
    limit ${limit}`)
}

/** What was done. Action names are `noun.verb` in the past tense: `user.created`. Details never contain a secret. */
export interface AuditEvent {
  action: `${string}.${string}`
  target: { kind: string; id?: number; name: string }
  details?: Readonly<Record<string, unknown>>
}

/** Who did something and from where, as the trail stores it. */
export interface AuditActor {
  actorId: number | null
  actorName: string
  actingAs: string | null
  address: string
  requestId: string | null
}

export type AuditDraft = AuditActor & AuditEvent

/** Inserts entries in their order, with one statement. */
export async function insertAuditRows(tx: Tx, rows: readonly AuditDraft[]): Promise<void> {
  await tx`
    insert into forge.audit
      (at, actor_id, actor_name, acting_as, action, target_kind, target_id, target_name, address, request_id, details)
    select ${tx.now}, actor_id, actor_name, acting_as, action, target_kind, target_id, target_name, address, request_id,
      details::jsonb
    from unnest(
      ${rows.map((row) => row.actorId)}::bigint[], ${rows.map((row) => row.actorName)}::text[],
      ${rows.map((row) => row.actingAs)}::text[], ${rows.map(({ action }) => action)}::text[],
      ${rows.map(({ target }) => target.kind)}::text[], ${rows.map(({ target }) => target.id ?? null)}::bigint[],
      ${rows.map(({ target }) => target.name)}::text[], ${rows.map(({ address }) => address)}::text[],
      ${rows.map(({ requestId }) => requestId)}::text[],
      ${rows.map(({ details }) => JSON.stringify(details ?? {}))}::text[]
    ) with ordinality as entry
      (actor_id, actor_name, acting_as, action, target_kind, target_id, target_name, address, request_id, details, place)
    order by place`
}

/** Deletes the oldest entries before a time, at most `limit`; returns how many. */
export async function deleteEntriesBefore(sql: Sql, moment: Date, limit: number): Promise<number> {
  const { count } = await sql`
    delete from forge.audit
    where id in (
      select id
      from forge.audit
      where at < ${moment}
      order by at, id
      limit ${limit}
    )`
  return count
}
