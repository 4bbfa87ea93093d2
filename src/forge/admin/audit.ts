import { type CronTask, removeAll } from '../../background/cron/cron-task.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { pageQuery } from '../../http/route/page.ts'
import { unprocessable } from '../../http/route/problem.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { Account } from '../accounts/account.ts'
import { siteAdmin } from '../auth/access.ts'
import { queryInteger, queryMoment, queryTrimmed } from '../protocol/query.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { route } from '../route.ts'
import { type AuditEntry, AuditPage } from './audit.shape.ts'

/** Who did it: the caller of a request, the command line, or a task with a schedule. */
export type Actor =
  | {
      caller: { me: Pick<Account, 'id' | 'name'>; behind: Pick<Account, 'id' | 'name'> | undefined }
      from: Origin
    }
  | 'command line'
  | 'cron task'

/** What was done. Names of actions are `noun.verb` in the past: `user.created`. Details never hold a secret. */
interface AuditEvent {
  action: `${string}.${string}`
  target: { kind: string; id?: number; name: string }
  details?: Readonly<Record<string, unknown>>
}

/**
 * Leaves a row in the audit trail, in the transaction of the deed: there is no deed without its row, and no row
 * without its deed. A route writes `record(tx, ask, { … })` with what its handler was given.
 */
export async function record(tx: Tx, by: Actor, { action, target, details }: AuditEvent): Promise<void> {
  const context = typeof by === 'string' ? undefined : by
  const who = context && (context.caller.behind ?? context.caller.me)
  const actingAs = context?.caller.behind ? context.caller.me.name : null
  await tx`
    insert into forge.audit
      (at, actor_id, actor_name, acting_as, action, target_kind, target_id, target_name, address, request_id, details)
    values
      (${tx.now}, ${who?.id ?? null}, ${who?.name ?? String(by)}, ${actingAs}, ${action}, ${target.kind},
       ${target.id ?? null}, ${target.name}, ${context?.from.address ?? ''}, ${context?.from.id ?? null},
       ${JSON.stringify(details ?? {})}::text::jsonb)`
}

const listAudit = route(
  'GET /admin/audit',
  {
    summary: 'What administrators did, newest first',
    access: siteAdmin(),
    query: {
      actor: queryTrimmed,
      target: queryTrimmed,
      action: queryTrimmed,
      since: queryTrimmed,
      before: queryTrimmed,
      cursor: queryInteger,
      limit: pageQuery().limit,
    },
    fails: [422],
    returns: [200, AuditPage],
    shared: 'until written',
  },
  async ({ query, sql }) => {
    const { limit, since, before } = query
    const wanted = {
      ...query,
      since: queryMoment('since', since, unprocessable),
      before: queryMoment('before', before, unprocessable),
    }
    const rows = await newestDeeds(sql, wanted, limit + 1)
    const entries = rows.slice(0, limit).map(printDeed)
    const last = rows.length > limit ? entries[entries.length - 1] : undefined
    return { entries, next: last?.id ?? null }
  },
)

export const auditRoutes = [listAudit]

/** How long what was done is remembered where the task runs, in milliseconds. */
const remembered = 365 * 24 * 3_600_000

/** Forgets what was done more than a year ago. Off: whether a trail may be cut is the operator's to say. */
export const deleteOldAuditEntries: CronTask = {
  name: 'delete_old_audit_entries',
  schedule: '@every 168h',
  enabled: false,
  run: async (run) => {
    const before = new Date(run.now.getTime() - remembered)
    const deleted = await removeAll(run, (limit) => deleteDeedsBefore(run.sql, before, limit))
    return deleted > 0 ? `${deleted} deleted` : undefined
  },
}

/** Deletes the oldest entries, at most so many; gives how many. */
async function deleteDeedsBefore(sql: Sql, moment: Date, limit: number): Promise<number> {
  const deleted = await sql`
    delete from forge.audit
    where id in (
      select id
      from forge.audit
      where at < ${moment}
      order by at, id
      limit ${limit}
    )`
  return deleted.count
}

interface Row {
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

function printDeed(row: Row): AuditEntry {
  return {
    id: row.id,
    at: printTime(row.at, EPOCH),
    actor: { id: row.actor_id ?? 0, name: row.actor_name },
    acting_as: row.acting_as ?? '',
    action: row.action,
    target: { kind: row.target_kind, id: row.target_id ?? 0, name: row.target_name },
    address: row.address,
    request_id: row.request_id ?? '',
    details: row.details,
  }
}

interface Wanted {
  actor: string
  target: string
  action: string
  since: Date | undefined
  before: Date | undefined
  cursor: number
}

/** Filters are fragments, so that each statement is planned for the index that serves it. */
async function newestDeeds(sql: Sql, wanted: Wanted, count: number): Promise<Row[]> {
  const { actor, target, action, since, before, cursor } = wanted
  return await sql<Row[]>`
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
    limit ${count}`
}
