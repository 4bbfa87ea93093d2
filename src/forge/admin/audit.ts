import type { Sql } from '../../db/sql.ts'
import { pageQuery } from '../../http/route/page.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { described } from '../../http/route/values.ts'
import { siteAdmin } from '../auth/access.ts'
import { queryInteger, queryMoment, queryTime, queryTrimmed } from '../protocol/query.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { route } from '../route.ts'
import { type AuditEntry, AuditPage } from './audit.shape.ts'

export const adminListAuditEvents = route('GET /admin/audit', {
  extension: true,
  summary: 'Audit trail: what administrators have changed, newest first',
  access: siteAdmin(),
  query: {
    actor: queryTrimmed,
    target: queryTrimmed,
    action: queryTrimmed,
    since: described(queryTime, 'Only entries of this time or later'),
    before: described(queryTime, 'Only entries before this time'),
    cursor: queryInteger,
    limit: pageQuery().limit,
  },
  fails: [422],
  returns: [200, AuditPage],
  shared: 'until written',
  handler: async ({ query, sql }) => {
    const { limit, since, before } = query
    const filter = {
      ...query,
      since: queryMoment('since', since, unprocessable),
      before: queryMoment('before', before, unprocessable),
    }
    const rows = await newestEntries(sql, filter, limit + 1)
    const entries = rows.slice(0, limit).map(printEntry)
    const last = rows.length > limit ? entries[entries.length - 1] : undefined
    return { entries, next: last?.id ?? null }
  },
})

interface AuditRow {
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

function printEntry(row: AuditRow): AuditEntry {
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

interface AuditFilter {
  actor: string
  target: string
  action: string
  since: Date | undefined
  before: Date | undefined
  cursor: number
}

/** Conditions are added only for filters that are set, so that PostgreSQL plans each combination for its index. */
async function newestEntries(sql: Sql, filter: AuditFilter, count: number): Promise<AuditRow[]> {
  const { actor, target, action, since, before, cursor } = filter
  return await sql<AuditRow[]>`
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
