import { type AuditEntry, AuditPage } from '../../forge/admin/audit.shape.ts'
import { adminListAuditEvents } from '../../forge/admin/audit.ts'
import { queryCount, queryTrimmed } from '../../forge/protocol/query.ts'
import { field, opener } from '../form.ts'
import { type Html, html, noneOf, timeOf, withoutEmpty, withQuery } from '../html.ts'
import { card, listOf } from '../layout.ts'
import { pageAt, rowOf } from '../list.ts'
import { read } from '../operations/perform.ts'
import { route } from '../route.ts'
import { adminAddress } from './administrator.ts'
import { filterForm } from './fields.ts'
import { adminPage } from './frame.ts'
import { adminReply } from './reply.ts'

export const getAdminAuditPage = route('GET /-/admin/audit', {
  ...adminReply,
  summary: 'The audit trail, filtered by actor, action, target and time, newest first, as a page',
  query: {
    actor: queryTrimmed,
    target: queryTrimmed,
    action: queryTrimmed,
    since: queryTrimmed,
    before: queryTrimmed,
    cursor: queryCount,
  },
  fails: [422],
  handler: async ({ caller, query }) => {
    const { actor, target, action, since, before, cursor } = query
    const filter = { actor, target, action, since, before }
    const times = { since: momentOf(since), before: momentOf(before) }
    const position = { cursor: cursor > 0 ? String(cursor) : '', limit: pageAt(1).limit }
    const input = { query: withoutEmpty({ ...filter, ...times, ...position }) }
    const { entries, next } = await read(caller, adminListAuditEvents, AuditPage, input)
    const address = adminAddress(caller, 'audit')
    const optional = { isOptional: true, autocomplete: 'off' }
    const main = html`${filterForm(
      address,
      html`${field({ ...optional, name: 'actor', label: 'Who', value: actor })}
${field({ ...optional, name: 'action', label: 'Did what', value: action })}
${field({ ...optional, name: 'target', label: 'To what', value: target })}
${field({ ...optional, name: 'since', label: 'From (UTC)', value: since, type: 'date' })}
${field({ ...optional, name: 'before', label: 'Before (UTC)', value: before, type: 'date' })}`,
    )}
${card('list', 'Entries')`${listOf(entries.map(entryRow), noneOf(['entry', 'entries'], { isFiltered: true }))}`}
${next === null ? undefined : html`<p class="actions"><a href="${withQuery(address, { ...filter, cursor: next })}">Older entries</a></p>`}`
    return adminPage({ caller, title: 'Audit trail', section: 'audit', main })
  },
})

/** The start of a day as the API takes it; other texts unchanged. */
const momentOf = (text: string) => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)

function entryRow({ at, actor, acting_as, action, target, address, request_id, details }: AuditEntry): Html {
  const more = JSON.stringify(details, null, 1)
  return rowOf(
    action,
    html`by ${actor.name}${acting_as === '' ? undefined : html` as ${acting_as}`}${address === '' ? undefined : html` from ${address}`} · ${timeOf(at)}${request_id === '' ? undefined : html` · request <code>${request_id}</code>`}`,
    more === '{}'
      ? undefined
      : opener('Details', `Details: ${action} ${target.name}`, html`<pre class="wrapped">${more}</pre>`),
    target.name,
  )
}
