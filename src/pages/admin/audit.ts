import { type AuditEntry, AuditPage } from '../../forge/admin/audit.shape.ts'
import { adminListAuditEvents } from '../../forge/admin/audit.ts'
import { queryInteger, queryTrimmed } from '../../forge/protocol/query.ts'
import { field } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { listOf } from '../layout.ts'
import { route } from '../route.ts'
import { filterForm } from './fields.ts'
import { adminPage } from './frame.ts'
import { pageAt, selected } from './list.ts'
import { read } from './operation.ts'
import { adminReply } from './reply.ts'

export const getAdminAuditPage = route('GET /-/admin/audit', {
  ...adminReply,
  summary: 'What administrators did, found by who, what and when, newest first, as a page',
  query: {
    actor: queryTrimmed,
    target: queryTrimmed,
    action: queryTrimmed,
    since: queryTrimmed,
    before: queryTrimmed,
    cursor: queryInteger,
  },
  fails: [422],
  handler: async ({ caller, query, from: { host } }) => {
    const { actor, target, action, since, before, cursor } = query
    const words = selected({ actor, target, action, since, before })
    const times = selected({ since: momentOf(since), before: momentOf(before) })
    const at = cursor > 0 ? { cursor: String(cursor) } : {}
    const given = { query: { ...words, ...times, ...at, limit: pageAt(1).limit } }
    const { entries, next } = await read(caller, adminListAuditEvents, AuditPage, given)
    const address = `${host}-/admin/audit`
    const own = { isOptional: true, autocomplete: 'off' }
    const main = html`${filterForm(
      address,
      html`${field({ ...own, name: 'actor', label: 'Who', value: actor })}
${field({ ...own, name: 'action', label: 'Did what', value: action })}
${field({ ...own, name: 'target', label: 'To what', value: target })}
${field({ ...own, name: 'since', label: 'From (UTC)', value: since, type: 'date' })}
${field({ ...own, name: 'before', label: 'Before (UTC)', value: before, type: 'date' })}`,
    )}
<section class="card" aria-labelledby="list">
<h2 id="list">Entries</h2>
${listOf(entries.map(entryRow), 'There is no such entry.')}
</section>
${next === null ? undefined : html`<p class="actions"><a href="${address}?${String(new URLSearchParams({ ...words, cursor: String(next) }))}">Older entries</a></p>`}`
    return adminPage({ caller, title: 'Audit trail', section: 'audit', main })
  },
})

/** The begin of a day as the API takes it; other texts as they are. */
const momentOf = (text: string) => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)

function entryRow({ at, actor, acting_as, action, target, address, request_id, details }: AuditEntry): Html {
  const more = JSON.stringify(details, null, 1)
  return html`
<li><h3>${action} <bdi>${target.name}</bdi></h3>
<p class="meta">by ${actor.name}${acting_as === '' ? undefined : html` as ${acting_as}`}${address === '' ? undefined : html` from ${address}`} · ${timeOf(at)}${request_id === '' ? undefined : html` · request <code>${request_id}</code>`}</p>
${more === '{}' ? undefined : html`<details><summary class="meta">Details</summary><pre class="wrapped">${more}</pre></details>`}</li>`
}
