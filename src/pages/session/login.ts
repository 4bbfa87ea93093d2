import type { IncomingHttpHeaders } from 'node:http'
import * as v from 'valibot'
import type { Account } from '../../forge/accounts/account-store.ts'
import { SIGN_IN_REFUSALS } from '../../forge/auth/access.ts'
import { hashToken } from '../../forge/auth/token.ts'
import { Problem } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { Access, RequestContext } from '../../http/route/route.ts'
import { textAs } from '../../http/route/sends.ts'
import { html } from '../html.ts'
import { page } from '../layout.ts'
import { formReply, htmlType } from '../profile.ts'
import { type PageTools, route } from '../route.ts'
import { browserName } from './browser-name.ts'
import { keptIn, sendAgainPage } from './kept-form.ts'
import { addressOf, referringPath, returnPath } from './return-path.ts'
import {
  cookieFor,
  formTokenOf,
  lifetime,
  managePath,
  mayManage,
  newSecret,
  requireSameOrigin,
  secretIn,
  signedInBy,
} from './session.ts'
import { deleteSession, insertSession } from './session-store.ts'
import { signInPage } from './sign-in-page.ts'
import { viewerOf } from './viewer.ts'

/** The request of a form; forms of other sites are refused. */
const form: Access<RequestContext<PageTools>, PageTools> = {
  name: 'own form',
  refusals: [403],
  admit: (context) => {
    requireSameOrigin(context.headers, context.from.host)
    return context
  },
}

/** Everyone, with the session that there may be. */
const visitor: Access<Visitor, PageTools> = {
  name: 'visitor',
  refusals: SIGN_IN_REFUSALS,
  admit: async (context) => ({ headers: context.headers, session: await signedInBy(context) }),
}

interface Visitor {
  headers: IncomingHttpHeaders
  session: Awaited<ReturnType<typeof signedInBy>>
}

const sending = { ...formReply, access: form } as const

export const getSignInPage = route('GET /login', {
  returns: textAs(200, htmlType),
  summary: 'The form that signs in, or out who is signed in',
  access: visitor,
  query: { ended: v.optional(v.unknown()), next: v.optional(v.unknown()) },
  handler: async ({ caller: { headers, session }, query, from: { host } }) => {
    if (session) return signedInPage(host, session)
    const next = query.next === undefined ? referringPath(headers, host) : returnPath(query.next, host)
    return signInPage({ host, next, fault: query.ended === undefined ? undefined : ended })
  },
})

export const signIn = route('POST /login', {
  ...sending,
  summary: 'Begin a session in a browser',
  fails: [401, 403, 429],
  also: [200, 401, 403, 429],
  handler: async ({ caller: context, body, sql, now, from: { host } }) => {
    const next = returnPath(body.next, host)
    const kept = keptIn(body, host)
    try {
      const { me, token, managing } = await authenticated(context, body)
      const secret = newSecret()
      const expiresAt = new Date(now.getTime() + lifetime)
      const browser = browserName(context.headers['user-agent'])
      const session = { hash: hashToken(secret), account: me, token, browser, now, expiresAt }
      if (!(await insertSession(sql, session))) throw new Problem(401, 'the account has changed meanwhile')
      const cookie = { 'Set-Cookie': cookieFor(host, secret) }
      if (kept)
        return new ReplyWith(sendAgainPage(host, kept, formTokenOf(secret)), { status: 200, headers: cookie })
      const Location = addressOf(landing(next, managing), host)
      return new ReplyWith('', { status: 303, headers: { Location, ...cookie } })
    } catch (error) {
      if (!(error instanceof Problem) || ![401, 403, 429].includes(error.status)) throw error
      const again = signInPage({ host, next, fault: sentenceOf(error), user: body.user, kept })
      return new ReplyWith(again, { status: error.status, headers: retryAfter(error) })
    }
  },
})

export const signOut = route('POST /login/out', {
  ...sending,
  summary: 'End a session in a browser',
  handler: async ({ caller: { headers }, sql, from: { host } }) => {
    const secret = secretIn(headers, host)
    if (secret !== undefined) await deleteSession(sql, hashToken(secret))
    return new ReplyWith('', {
      status: 303,
      headers: { Location: host, 'Set-Cookie': cookieFor(host, undefined) },
    })
  },
})

/**
 * Whose credentials these are, checked and throttled like those of the API; without a name, the password is a token.
 * @throws Problem 401, 403, 429, 503
 */
async function authenticated(
  context: RequestContext<PageTools>,
  { user = '', password = '', code = '' }: Record<string, string>,
): Promise<{ me: Account; token: number | undefined; managing: boolean }> {
  const pair = Buffer.from(`${user}:${password}`).toString('base64')
  const authorization = user.trim() === '' ? `token ${password.trim()}` : `Basic ${pair}`
  const headers = { authorization, 'x-gitea-otp': code.trim() }
  const caller = await context.tools.authenticator.authenticate({ ...context, headers, query: {} })
  if (!caller.me || caller.task) throw new Problem(401, 'invalid username, password or token')
  const { me, token } = caller
  return { me, token: token?.id, managing: mayManage(me, token?.scopes) }
}

/** The headers of a refusal that the page repeats: a challenge would open a window of the browser. */
function retryAfter({ extra: { headers } }: Problem): Record<string, string> {
  const seconds = headers?.['Retry-After']
  return seconds === undefined ? {} : { 'Retry-After': seconds }
}

const sentenceOf = ({ status, message }: Problem) =>
  status === 401
    ? 'The name, the password, the code or the token is wrong.'
    : status === 429
      ? 'Too many sign-ins have failed. Try again later.'
      : `You cannot sign in here: ${message}.`

const ended = 'Your session has ended. Sign in again; what you wrote is still on the page before this one.'

/** The path that a sign-in leads to: where it came from unless that is forbidden to the account, else the start page. */
const landing = (next = '/', managing: boolean) =>
  next.startsWith(`/${managePath}`) && !managing ? '/' : next

function signedInPage(host: string, caller: Visitor['session'] & {}): string {
  const { name } = caller.me
  const main = html`<div class="narrow">
<h1>Your account</h1>
<div class="card"><p>Signed in as <a href="${host}${name}">${name}</a>. This session ends twelve hours after it began, or when
you sign out.</p>
<form class="actions" method="post" action="${host}login/out">
${viewerOf(caller)?.isManager ? html`<a class="button" href="${host}${managePath}">Manage the site</a>` : undefined}
<button class="quiet">Sign out</button></form></div>
</div>`
  return page({ host, caller, title: 'Signed in', main, current: 'account' })
}
