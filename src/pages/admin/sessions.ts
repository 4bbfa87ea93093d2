import type { Tx } from '../../db/sql.ts'
import { record } from '../../forge/audit/audit-trail.ts'
import { unprocessable } from '../../http/route/problem.ts'
import type { ChangeContext, SiteChange } from '../../site/change.ts'
import { pageOfOpenSessions } from '../../site/session-store.ts'
import { closeSession, closeSessionsBefore } from '../../site/sessions.ts'
import { askedForm, field } from '../form.ts'
import { html, timeOf } from '../html.ts'
import { listed, listQuery, listSection, rowOf } from '../list.ts'
import { fieldsOf } from '../operations/fields.ts'
import { route } from '../route.ts'
import { type Administrator, adminAddress } from './administrator.ts'
import { adminPage, type Shown } from './frame.ts'
import { adminForm, adminReply, replyTo } from './reply.ts'

export const getAdminSessionsPage = route('GET /-/admin/sessions', {
  ...adminReply,
  summary: 'All open presence sessions of the site, the oldest first, as a page',
  query: listQuery,
  handler: ({ caller, query }) => sessionsPage(caller, { page: query.page, done: noticeOf(query.done) }),
})

/** The notice for a number of ended sessions; undefined for any other text. */
function noticeOf(done: string): string | undefined {
  if (!/^\d{1,9}$/.test(done)) return undefined
  return done === '1' ? 'One session was ended.' : `${done} sessions were ended.`
}

export const endSessionByPage = route('POST /-/admin/sessions/{id}/end', {
  ...adminForm,
  summary: 'End an open presence session',
  handler: ({ caller, params, ...context }) =>
    replyTo(caller, closeSession(makerOf(caller, context), Number(params.id)), {
      path: 'sessions?done=1',
      again: (refusal) => sessionsPage(caller, { refusal }),
    }),
})

export const endOldSessionsByPage = route('POST /-/admin/sessions/end', {
  ...adminForm,
  summary: 'End all presence sessions that are older than a number of hours',
  handler: ({ caller, body, ...context }) =>
    replyTo(caller, closeOlderThan(makerOf(caller, context), Number(body.hours)), {
      path: (ended) => `sessions?done=${ended}`,
      blame: 'hours',
      again: (refusal) => sessionsPage(caller, { hours: body.hours, refusal }),
    }),
})

/** @throws Problem 422 */
async function closeOlderThan(maker: ChangeContext, hours: number): Promise<number> {
  if (!(hours > 0 && hours <= longest))
    throw unprocessable(`This must be a number of hours, at most ${longest}.`)
  return closeSessionsBefore(maker, new Date(maker.now.getTime() - hours * 3_600_000))
}

/** Hours of about ten years. */
const longest = 87_600

/** A change of the site in the name of an administrator, which the audit trail records. */
const makerOf = (caller: Administrator, context: Omit<ChangeContext, 'caller'>): ChangeContext => ({
  ...context,
  caller: (tx: Tx, change: SiteChange) => record(tx, { caller, from: caller.request.from }, change),
})

interface SessionsShown extends Shown {
  hours?: string | undefined
}

async function sessionsPage(
  caller: Administrator,
  { page: at = 1, hours = '24', ...outcome }: SessionsShown,
): Promise<string> {
  const page = await pageOfOpenSessions(caller.request.sql, { page: at, limit: listed })
  const address = adminAddress(caller, 'sessions')
  const hoursField = fieldsOf({ hours }, outcome.refusal)('hours')
  const main = html`<div class="panel"><div>
${listSection({
  address,
  page,
  noun: ['open session'],
  rowOf: ({ id, username, started_at }) =>
    rowOf(
      html`<bdi>${username}</bdi>`,
      html`began ${timeOf(started_at)}`,
      askedForm({
        address: `${address}/${id}/end`,
        text: 'End',
        label: `End the session of ${username}`,
        question: 'The page counts this visitor as gone.',
        answer: 'End the session',
      }),
    ),
  empty: 'No open sessions: nobody is online.',
})}</div>
<form class="card" method="post" action="${address}/end" aria-labelledby="old">
<h2 id="old">End old sessions</h2>
<p class="hint">Sessions that nobody has ended keep people among those online.</p>
${field({ ...hoursField, label: 'Older than (hours)' })}
<button>End them</button>
</form>
</div>`
  return adminPage({ caller, title: 'Presence sessions', section: 'sessions', main, ...outcome })
}
