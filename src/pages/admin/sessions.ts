import type { Tx } from '../../db/sql.ts'
import { record } from '../../forge/admin/audit-trail.ts'
import type { ChangeContext, SiteChange } from '../../site/change.ts'
import { pageOfOpenSessions } from '../../site/session-store.ts'
import { closeSession, closeSessionsBefore } from '../../site/sessions.ts'
import { field } from '../form.ts'
import { html, timeOf } from '../html.ts'
import { route } from '../route.ts'
import { buttonForm } from './fields.ts'
import { adminPage } from './frame.ts'
import { listed, listQuery, listSection, rowOf } from './list.ts'
import type { Administrator } from './operation.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { adminForm, adminReply, outcomeOf } from './reply.ts'

export const getAdminSessionsPage = route('GET /-/admin/sessions', {
  ...adminReply,
  summary: 'All open presence sessions of the site, the oldest first, as a page',
  query: listQuery,
  handler: ({ caller, query }) => sessionsPage(caller, { page: query.page, done: doneWords(query.done) }),
})

/** What a number of ended sessions says; any other text says nothing. */
function doneWords(done: string): string | undefined {
  if (!/^\d{1,9}$/.test(done)) return undefined
  return done === '1' ? 'One session was ended.' : `${done} sessions were ended.`
}

export const endSessionByPage = route('POST /-/admin/sessions/{id}/end', {
  ...adminForm,
  summary: 'End an open presence session',
  handler: async ({ caller, params, ...context }) => {
    const maker = makerOf(caller, context)
    const refusal = await refusalOf(closeSession(maker, Number(params.id)))
    return outcomeOf(caller, refusal, 'sessions?done=1', (refused) =>
      sessionsPage(caller, { refusal: refused }),
    )
  },
})

export const endOldSessionsByPage = route('POST /-/admin/sessions/end', {
  ...adminForm,
  summary: 'End all presence sessions that are older than a number of hours',
  handler: async ({ caller, body, ...context }) => {
    const hours = Number(body.hours)
    if (!(hours > 0 && hours <= longest)) {
      const refusal = { field: 'hours', sentence: `This must be a number of hours, at most ${longest}.` }
      return outcomeOf(caller, refusal, '', () => sessionsPage(caller, { hours: body.hours, refusal }))
    }
    const before = new Date(context.now.getTime() - hours * 3_600_000)
    const ended = await closeSessionsBefore(makerOf(caller, context), before)
    return outcomeOf(caller, undefined, `sessions?done=${ended}`, () => '')
  },
})

/** Hours of about ten years. */
const longest = 87_600

/** A change of the site in the name of an administrator, which the audit trail records. */
const makerOf = (caller: Administrator, context: Omit<ChangeContext, 'caller'>): ChangeContext => ({
  ...context,
  caller: (tx: Tx, change: SiteChange) => record(tx, { caller, from: caller.request.from }, change),
})

interface Shown {
  page?: number
  hours?: string | undefined
  done?: string | undefined
  refusal?: Refusal
}

async function sessionsPage(
  caller: Administrator,
  { page: at = 1, hours, ...outcome }: Shown,
): Promise<string> {
  const { sql, from } = caller.request
  const page = await pageOfOpenSessions(sql, { page: at, limit: listed })
  const address = `${from.host}-/admin/sessions`
  const fault = outcome.refusal?.field === 'hours' ? outcome.refusal.sentence : undefined
  const main = html`<div class="panel"><div>
${listSection({
  address,
  page,
  words: ['open session'],
  rowOf: ({ id, username, started_at }) =>
    rowOf(
      html`<bdi>${username}</bdi>`,
      html`since ${timeOf(started_at)}`,
      buttonForm(`${address}/${id}/end`, 'End', `End the session of ${username}`),
    ),
  empty: 'Nobody is online.',
})}</div>
<form class="card" method="post" action="${address}/end" aria-labelledby="old">
<h2 id="old">End old sessions</h2>
<p class="hint">Sessions that nobody has ended keep people among those online.</p>
${field({ name: 'hours', label: 'Older than (hours)', value: hours ?? '24', fault, hasFocus: fault !== undefined })}
<button>End them</button>
</form>
</div>`
  return adminPage({ caller, title: 'Presence sessions', section: 'sessions', main, ...outcome })
}
