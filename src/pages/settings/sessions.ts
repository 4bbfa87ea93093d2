import type { Tx } from '../../db/sql.ts'
import { accountTarget, record } from '../../forge/audit/audit-trail.ts'
import { notFound } from '../../http/route/problem.ts'
import { askedForm, type Fields, unknownAction } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { card, listOf } from '../layout.ts'
import { rowOf } from '../list.ts'
import { route } from '../route.ts'
import { endOtherSessions, endSession, type ListedSession, sessionsOf } from '../session-store.ts'
import {
  besides,
  type Change,
  type FormState,
  idIn,
  replyTo,
  type SettingsContext,
  sent,
  shown,
  stateOf,
} from './form-reply.ts'
import { settingsPage } from './settings-page.ts'

const section = 'settings/sessions'

export const getSessionSettings = route('GET /settings/sessions', {
  ...shown,
  summary: 'The browsers in which one is signed in',
  handler: ({ query, ...context }) => sessionsPage(context, stateOf(query)),
})

export const changeSessions = route('POST /settings/sessions', {
  ...sent,
  summary: 'Sign another browser out, or all others',
  fails: [400],
  handler: ({ body, ...context }) => replyTo(context, body, { section, change, show: sessionsPage }),
})

async function change(context: SettingsContext, fields: Fields): Promise<Change> {
  const { me, session } = context.caller
  const { action } = fields
  if (action === 'end') return end(context, (tx) => endSession(tx, me.id, idIn(fields)))
  if (action === 'end-others') return end(context, (tx) => endOtherSessions(tx, me.id, session))
  throw unknownAction()
}

/** Ends sessions and records how many; a fault if there are none. */
function end(context: SettingsContext, deletion: (tx: Tx) => Promise<number>): Promise<Change> {
  const ending = context.begin(async (tx) => {
    const sessions = await deletion(tx)
    if (sessions === 0) throw notFound()
    const target = accountTarget(context.caller.me)
    await record(tx, context, { action: 'user.sessions_ended', target, details: { sessions } })
  })
  return besides('', ending)
}

async function sessionsPage(context: SettingsContext, state: FormState): Promise<string> {
  const { caller, sql, now, from } = context
  const address = `${from.host}${section}`
  const sessions = await sessionsOf(sql, caller.me.id, caller.session, now)
  const hasOthers = sessions.some(({ is_current }) => !is_current)
  const main = html`${card('sessions', 'You are signed in here')`${listOf(
    sessions.map((each) => entry(each, address)),
    'In no browser.',
  )}`}
${
  hasOthers
    ? card('others', 'Have you forgotten to sign out somewhere?')`${askedForm({
        address,
        text: 'Sign out all other browsers',
        question: 'Whoever uses them has to sign in again.',
        answer: 'Sign them out',
        fields: { action: 'end-others' },
      })}`
    : undefined
}
<p class="meta">A session ends twelve hours after it began. Who has your password can begin another: <a href="${from.host}settings/password">change it</a> if that may be so.</p>`
  const notice = 'The sessions are ended.'
  return settingsPage(context, { section, state, done: notice, main })
}

function entry({ id, browser, created_at, has_token, is_current }: ListedSession, address: string): Html {
  const name = browser ?? 'A browser'
  return rowOf(
    html`${name}${is_current ? html` <span class="badge good">this browser</span>` : undefined}`,
    html`began ${timeOf(created_at)}${has_token ? ', with an access token' : ''}`,
    is_current
      ? undefined
      : askedForm({
          address,
          text: 'End',
          label: `End ${name}`,
          question: 'Who uses that browser has to sign in again.',
          answer: 'End the session',
          fields: { action: 'end', id },
        }),
  )
}
