import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type Account, accountById } from '../../forge/accounts/account.ts'
import { permits, type Scopes, storedScopes } from '../../forge/auth/scopes.ts'
import { hashToken } from '../../forge/auth/token.ts'
import { forbidden, Problem } from '../../http/route/problem.ts'
import type { Access, RequestContext } from '../../http/route/route.ts'
import { isSameSecret } from '../../same-secret.ts'
import type { PageTools } from '../route.ts'
import { sessionByHash } from './session-store.ts'

/** How long a session lasts, in milliseconds. */
export const lifetime = 12 * 3_600_000

/** The path of the page of administrators. */
export const managePath = '/overview/manage'

/** An administrator with a session in a browser. */
export interface Manager {
  me: Account
  /** What forms of this session carry, so that no other site can send one. */
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

const formTokenOf = (secret: string) => createHash('sha256').update(`form ${secret}`).digest('base64url')

/** Whether a form was made for this session. */
export const isFormOf = ({ formToken }: Manager, given: string | undefined): boolean =>
  isSameSecret(given ?? '', formToken)

/**
 * Refuses forms that another site sends (Fetch Metadata, section 2.3; RFC 6454): browsers say where a form comes from.
 * @throws Problem 403
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, host: string): void {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  const isForeign =
    site !== undefined ? site !== 'same-origin' : origin !== undefined && origin !== new URL(host).origin
  if (isForeign) throw forbidden('the form comes from another site')
}

/** Administrators who have signed in on the sign-in page; others are sent there. */
export const manager: Access<Manager, PageTools> = {
  name: 'manager',
  refusals: [303, 403],
  admit: async (context) => {
    if (context.route.method !== 'GET') requireSameOrigin(context.headers, context.from.host)
    return managerOf(context)
  },
}

/** The valid session of a browser. */
export async function sessionIn({
  headers,
  from,
  sql,
  now,
}: Pick<RequestContext<unknown>, 'headers' | 'from' | 'sql' | 'now'>) {
  const secret = secretIn(headers, from.host)
  return secret === undefined ? undefined : sessionByHash(sql, hashToken(secret), now)
}

/** The scopes of the token that a session was begun with; undefined: it was a password. */
export const scopesOf = ({ scopes }: { scopes: string | null }) =>
  scopes === null ? undefined : storedScopes(scopes)

/** @throws Problem 303 without a valid session, 403 who may not manage the site */
async function managerOf(context: RequestContext<PageTools>): Promise<Manager> {
  const { headers, from, sql } = context
  const secret = secretIn(headers, from.host)
  const session = await sessionIn(context)
  const me = session && (await accountById(sql, session.account_id))
  if (!secret || !session || !me) {
    const ended = headers.cookie?.includes(nameFor(from.host)) ? '&ended=1' : ''
    const location = `${from.host}login?next=${managePath}${ended}`
    throw new Problem(303, 'sign in first', { form: 'empty', headers: { Location: location } })
  }
  requireManager(me, scopesOf(session))
  return { me, formToken: formTokenOf(secret) }
}

/** @throws Problem 403 who may not manage the site */
function requireManager(me: Account, scopes: Scopes | undefined): void {
  if (!me.is_admin) throw forbidden('only administrators manage the site')
  if (!mayManage(me, scopes)) throw forbidden('the token needs the scope write:misc')
}

/** Whether the account is an administrator's, and the scopes of the token (if there is one) suffice. */
export const mayManage = ({ is_admin }: Pick<Account, 'is_admin'>, scopes: Scopes | undefined): boolean =>
  is_admin && (!scopes || permits(scopes, ['misc'], 'write'))
