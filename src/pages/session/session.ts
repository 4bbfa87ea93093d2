import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isSameSecret } from '../../common/same-secret.ts'
import type { Account } from '../../forge/accounts/account-store.ts'
import { requireSignedIn, SIGN_IN_REFUSALS, type SignedIn } from '../../forge/auth/access.ts'
import type { CallerSession } from '../../forge/auth/authenticator.ts'
import type { Caller } from '../../forge/auth/caller.ts'
import { confirmCaller } from '../../forge/auth/confirmation.ts'
import { permits, type Scopes, storedScopes } from '../../forge/auth/scopes.ts'
import { hashToken } from '../../forge/auth/token.ts'
import { forbidden, Problem } from '../../http/route/problem.ts'
import type { Access, RequestContext } from '../../http/route/route.ts'
import { withQuery } from '../html.ts'
import type { PageTools } from '../route.ts'
import type { SessionReads } from '../session-reads.ts'
import type { WebSession } from '../session-store.ts'
import { referringPath, returnPath } from './return-path.ts'

/** How long a session lasts, in milliseconds. */
export const lifetime = 12 * 3_600_000

/** The path of the page of administrators, without a slash at its start. */
export const managePath = 'overview/manage'

/** An administrator with a session in a browser. */
export interface Manager extends SignedIn {
  /** Forms of this session carry it, so that no other site can send one. */
  formToken: string
}

/** A cookie can only have the prefix `__Host-`, and be `Secure`, where pages come over https. */
const nameFor = (host: string) => (host.startsWith('https:') ? '__Host-forgehall' : 'forgehall')

/** Whether a request has the cookie of a session, which may have ended. */
export const hasSession = (cookie = ''): boolean => /(?:^|[ ;])(?:__Host-)?forgehall=/.test(cookie)

/** A new secret for a cookie: 256 random bits. */
export const newSecret = () => randomBytes(32).toString('base64url')

/** `Set-Cookie` for a secret; undefined ends the cookie (RFC 6265, section 5.2). */
export function cookieFor(host: string, secret: string | undefined): string {
  const secure = host.startsWith('https:') ? '; Secure' : ''
  const age = secret === undefined ? 0 : lifetime / 1000
  return `${nameFor(host)}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`
}

/** The secret in the cookie of a request; undefined if there is none of this server's form. */
export function secretIn({ cookie = '' }: IncomingHttpHeaders, host: string): string | undefined {
  const prefix = `${nameFor(host)}=`
  const pair = cookie.split(';').find((each) => each.trim().startsWith(prefix))
  const secret = pair?.trim().slice(prefix.length) ?? ''
  return /^[\w-]{43}$/.test(secret) ? secret : undefined
}

/** The token that forms carry, for the session with this secret. */
export const formTokenOf = (secret: string) =>
  createHash('sha256').update(`form ${secret}`).digest('base64url')

/** Whether a form was made for this session. */
export const isFormOf = ({ formToken }: Manager, token: string | undefined): boolean =>
  isSameSecret(token ?? '', formToken)

/**
 * Refuses forms that do not come from a page of this server. Browsers say where a form comes from (Fetch Metadata,
 * section 2.3; older ones: RFC 6454, or RFC 9110, section 10.1.3).
 * @throws Problem 403
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, host: string): void {
  const { 'sec-fetch-site': site, origin, referer = '' } = headers
  const isSame =
    site !== undefined ? site === 'same-origin' : (origin ?? originOf(referer)) === new URL(host).origin
  if (!isSame) throw forbidden('the form comes from another site')
}

/** The headers of a form as those of a request with credentials, which still say where the form comes from. */
export const withCredentials = (
  { 'sec-fetch-site': site, origin, referer }: IncomingHttpHeaders,
  authorization: string | undefined,
  code: string,
): IncomingHttpHeaders => ({
  'sec-fetch-site': site,
  origin,
  referer,
  authorization,
  'x-gitea-otp': code.trim(),
})

const originOf = (address: string) => (URL.canParse(address) ? new URL(address).origin : undefined)

/**
 * An access rule of pages that only signed-in people see: others are sent to the sign-in page, and from there back.
 * (A form that is sent after the end of the session leads back to its page.)
 */
export const orSignIn = <Who>(access: Access<Who, PageTools>): Access<Who, PageTools> => ({
  ...access,
  refusals: [303, ...access.refusals.filter((status) => status !== 401)],
  admit: async (context) => {
    try {
      return await access.admit(context)
    } catch (error) {
      throw error instanceof Problem && error.status === 401 ? signInFirst(context) : error
    }
  },
})

/** Leads to the sign-in page; if the browser had a session, the page says that it has ended. */
export function signInFirst({ headers, url, route, from: { host } }: RequestContext<PageTools>): Problem {
  const next = route.method === 'GET' ? returnPath(url, host) : referringPath(headers, host)
  const query = { next: next ?? '', ended: hasSession(headers.cookie) ? '1' : '' }
  const Location = withQuery(`${host}login`, query).replaceAll('%2F', '/')
  return new Problem(303, 'sign in first', { form: 'empty', headers: { Location } })
}

/** Administrators who have signed in on the sign-in page. */
export const managing: Access<Manager, PageTools> = {
  name: 'manager',
  refusals: [401, 403, ...SIGN_IN_REFUSALS],
  admit: async (context: RequestContext<PageTools>) => {
    if (context.route.method !== 'GET') requireSameOrigin(context.headers, context.from.host)
    return managerOf(context)
  },
  confirm: (caller, tx) => confirmCaller(tx, caller, undefined),
}

/** The same; others are sent to the sign-in page. */
export const manager: Access<Manager, PageTools> = orSignIn(managing)

/** The valid session of a browser. @throws Problem 503 */
export async function sessionIn(
  context: Pick<RequestContext<unknown>, 'headers' | 'from' | 'sql' | 'now'>,
  sessions: SessionReads,
): Promise<WebSession | undefined> {
  const secret = secretIn(context.headers, context.from.host)
  return secret === undefined ? undefined : sessions.byHash(context, hashToken(secret))
}

/** A valid session and its account, whose requests count (`RATE_LIMIT_ACCOUNT`). @throws Problem 429, 503 */
export async function signedInBy(
  context: RequestContext<PageTools>,
): Promise<(Caller & SignedIn) | undefined> {
  const { authenticator, sessions } = context.tools
  const session = await sessionIn(context, sessions)
  if (!session) return undefined
  try {
    const caller = await authenticator.authenticateSession(context, callerSessionOf(session))
    return requireSignedIn(caller)
  } catch (error) {
    // The account has changed between the two look-ups, which has ended the session.
    if (error instanceof Problem && (error.status === 401 || error.status === 403)) return undefined
    throw error
  }
}

/** A session as the authenticator takes it. */
export function callerSessionOf({ account_id: account, token_id: id, scopes }: WebSession): CallerSession {
  return { account, token: id === null ? undefined : { id, scopes: storedScopes(scopes ?? '') } }
}

/** @throws Problem 401 without a valid session, 403 who may not manage the site */
async function managerOf(context: RequestContext<PageTools>): Promise<Manager> {
  const secret = secretIn(context.headers, context.from.host)
  const session = await signedInBy(context)
  if (!secret || !session) throw new Problem(401, 'sign in first')
  requireManager(session.me, session.token?.scopes)
  return { ...session, formToken: formTokenOf(secret) }
}

/** @throws Problem 403 who may not manage the site */
function requireManager(me: Account, scopes: Scopes | undefined): void {
  if (!me.is_admin) throw forbidden('only administrators manage the site')
  if (!mayManage(me, scopes)) throw forbidden('the token needs the scope write:misc')
}

/** Whether the account is an administrator's, and the scopes of the token (if there is one) suffice. */
export const mayManage = ({ is_admin }: Pick<Account, 'is_admin'>, scopes: Scopes | undefined): boolean =>
  is_admin && (!scopes || permits(scopes, ['misc'], 'write'))
