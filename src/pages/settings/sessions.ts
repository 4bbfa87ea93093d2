import { accountTarget, record } from '../../forge/admin/audit-trail.ts'
import { badRequest, found } from '../../http/route/problem.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { type Html, html, timeOf } from '../html.ts'
import { listOf } from '../layout.ts'
import { type PageTools, route } from '../route.ts'
import { endOtherSessions, endSession, type ListedSession, sessionsOf } from '../session/session-store.ts'
import { besides, idIn, type Outcome, outcomeOf, replyTo, sent, shown, type Texts } from './form-reply.ts'
import type { Person } from './person.ts'
import { hiddenFields, rowForm, settingsPage } from './settings-page.ts'

type Context = HandlerBase<PageTools> & { caller: Person }

const section = 'settings/sessions'

export const getSessionSettings = route('GET /settings/sessions', {
  ...shown,
  summary: 'The browsers in which one is signed in',
  handler: ({ query, ...context }) => sessionsPage(context, outcomeOf(query)),
})

export const changeSessions = route('POST /settings/sessions', {
  ...sent,
  summary: 'Sign another browser out, or all others',
  fails: [400],
  handler: ({ body, ...context }) =>
    replyTo(
      body,
      `${context.from.host}${section}?done=1`,
      () => change(context, body),
      (outcome) => sessionsPage(context, outcome),
    ),
})

async function change(context: Context, body: Texts): Promise<Texts | undefined> {
  const { me, session } = context.caller
  const { action } = body
  if (action === 'end') {
    const id = idIn(body)
    return besides(
      '',
      end(context, async (tx) => ((await endSession(tx, me.id, id)) ? 1 : 0)),
    )
  }
  if (action === 'end-others')
    return besides(
      '',
      end(context, (tx) => endOtherSessions(tx, me.id, session)),
    )
  throw badRequest('the form asks for nothing that there is')
}

/** Ends sessions and records how many. @throws Problem 404 there were none */
async function end(
  context: Context,
  ending: (tx: Parameters<typeof endSession>[0]) => Promise<number>,
): Promise<void> {
  await context.begin(async (tx) => {
    const sessions = await ending(tx)
    found(sessions > 0 ? sessions : undefined)
    const target = accountTarget(context.caller.me)
    await record(tx, context, { action: 'user.sessions_ended', target, details: { sessions } })
  })
}

async function sessionsPage(context: Context, outcome: Outcome): Promise<string> {
  const { caller, sql, now, from } = context
  const address = `${from.host}${section}`
  const sessions = await sessionsOf(sql, caller.me.id, caller.session, now)
  const hasOthers = sessions.some(({ is_current }) => !is_current)
  const main = html`<section class="card" aria-labelledby="sessions">
<h2 id="sessions">You are signed in here</h2>
${listOf(
  sessions.map((each) => entry(each, address)),
  'In no browser.',
)}
</section>
${
  hasOthers
    ? html`<form class="card" method="post" action="${address}">${hiddenFields({ action: 'end-others' })}
<p>Have you forgotten to sign out somewhere?</p>
<button>Sign out all other browsers</button></form>`
    : undefined
}
<p class="meta">A session ends twelve hours after it began. Who has your password can begin another: <a href="${from.host}settings/password">change it</a> if that may be so.</p>`
  const done = 'The sessions are ended.'
  return settingsPage({ host: from.host, caller, section, outcome, done, main })
}

function entry({ id, browser, created_at, has_token, is_current }: ListedSession, address: string): Html {
  const name = browser ?? 'A browser'
  return html`
<li class="row"><span><strong>${name}</strong>${is_current ? html` <span class="badge good">this browser</span>` : undefined}<br>
<span class="meta">since ${timeOf(created_at)}${has_token ? ', with an access token' : ''}</span></span>
${is_current ? undefined : rowForm(address, { action: 'end', id: String(id) }, { label: 'End', about: name })}</li>`
}
