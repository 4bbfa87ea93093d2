import type { IncomingHttpHeaders } from 'node:http'
import * as v from 'valibot'
import { SIGN_IN_REFUSALS, type SignedIn } from '../../forge/auth/access.ts'
import { type BegunSignIn, unsealed } from '../../forge/auth/sign-in-steps.ts'
import { hashToken } from '../../forge/auth/token.ts'
import { Problem } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { Access, RequestContext } from '../../http/route/route.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Fields } from '../form.ts'
import { html } from '../html.ts'
import { page } from '../layout.ts'
import { htmlType } from '../profile.ts'
import { type PageTools, route } from '../route.ts'
import { referringPath, returnPath } from '../session/return-path.ts'
import { cookieFor, managePath, secretIn, signedInBy, withCredentials } from '../session/session.ts'
import { viewerOf } from '../session/viewer.ts'
import { deleteSession } from '../session-store.ts'
import { codePage } from './code-page.ts'
import { nextStep, sending, startSession } from './sign-in.ts'
import { signInPage } from './sign-in-page.ts'
import { wayIn } from './way.ts'

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

export const getSignInPage = route('GET /login', {
  returns: textAs(200, htmlType),
  summary: 'The form that signs in, or out who is signed in',
  access: visitor,
  query: { ended: v.optional(v.unknown()), changed: v.optional(v.unknown()), next: v.optional(v.unknown()) },
  handler: async ({ caller: { headers, session }, query, from: { host } }) => {
    if (session) return signedInPage(host, session)
    const next = query.next === undefined ? referringPath(headers, host) : returnPath(query.next, host)
    const notice = {
      fault: query.ended === undefined ? undefined : ended,
      done: query.changed === undefined ? undefined : 'Your password is set. Sign in with it.',
    }
    return signInPage({ host, way: { next }, ...notice })
  },
})

export const signIn = route('POST /login', {
  ...sending,
  summary: 'Begin a session in a browser; where that takes a one-time code or a new password, ask for it',
  fails: [401, 403, 429],
  also: [200, 401, 403, 429],
  handler: async ({ caller: context, body, now, tools, from: { host } }) => {
    const way = wayIn(body, host)
    const begun = body.step === undefined ? undefined : unsealed(tools.secrets, body.step, now)
    const user = begun?.user ?? body.user ?? ''
    try {
      return await startSession(context, await authenticated(context, begun, body), way)
    } catch (error) {
      if (!(error instanceof Problem) || ![401, 403, 429].includes(error.status)) throw error
      const { status } = error
      const next = nextStep(context, error, user, way)
      if (next) return next
      if (begun && body.step !== undefined && status === 401)
        return new ReplyWith(codePage({ host, way, step: body.step, fault: wrongCode }), { status })
      const again = signInPage({ host, way, fault: sentenceOf(error), user })
      return new ReplyWith(again, { status, headers: retryAfter(error) })
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
  begun: BegunSignIn | undefined,
  { step, user = '', password = '', code = '' }: Fields,
): Promise<SignedIn> {
  const { authenticator } = context.tools
  const pair = Buffer.from(`${user}:${password}`).toString('base64')
  const authorization = user.trim() === '' ? `token ${password.trim()}` : `Basic ${pair}`
  const headers = withCredentials(context.headers, begun ? undefined : authorization, code)
  const request = { ...context, headers, query: {} }
  if (step !== undefined && !begun) throw new Problem(401, 'the sign-in took too long')
  const caller = await (begun
    ? authenticator.authenticateCode(request, begun)
    : authenticator.authenticate(request))
  if (!caller.me || caller.task) throw new Problem(401, 'invalid username, password or token')
  return { ...caller, me: caller.me }
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
      : `You cannot sign in here: ${message.replace(/\.$/, '')}.`

const wrongCode = 'The code is wrong, or was used before.'

const ended = 'Your session has ended. Sign in again; what you wrote is still on the page before this one.'

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
