import { pageQuery } from '../../http/route/page.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { json } from '../../http/route/sends.ts'
import { described } from '../../http/route/values.ts'
import { type AuditRow, newestEntries } from '../audit/audit-store.ts'
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
  returns: json(200, AuditPage),
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
    const last = rows.length > limit ? entries.at(-1) : undefined
    return { entries, next: last?.id ?? null }
  },
})

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
