import type { Account } from '../../forge/accounts/account-store.ts'
import type { Caller } from '../../forge/auth/caller.ts'
import { begunSignIn, CodeMissing, PasswordExpired, sealed } from '../../forge/auth/sign-in-steps.ts'
import { hashToken } from '../../forge/auth/token.ts'
import { Problem } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { Access, RequestContext } from '../../http/route/route.ts'
import { formReply } from '../profile.ts'
import type { PageTools } from '../route.ts'
import { addressOf } from '../session/return-path.ts'
import {
  cookieFor,
  formTokenOf,
  lifetime,
  managePath,
  mayManage,
  newSecret,
  requireSameOrigin,
} from '../session/session.ts'
import { insertSession } from '../session-store.ts'
import { browserName } from './browser-name.ts'
import { codePage } from './code-page.ts'
import { sendAgainPage } from './kept-form.ts'
import { newPasswordPage } from './new-password-page.ts'
import type { Way } from './way.ts'

/** The request of a form; forms of other sites are refused. */
const ownForm: Access<RequestContext<PageTools>, PageTools> = {
  name: 'own form',
  refusals: [403],
  admit: (context) => {
    requireSameOrigin(context.headers, context.from.host)
    return context
  },
}

/** The declaration of a form of the sign-in. */
export const sending = { ...formReply, access: ownForm } as const

/** Who has signed in, and the token that did it (undefined: a password did). */
interface SignedInBy {
  me: Pick<Account, 'id' | 'has_totp' | 'is_admin'>
  token?: Caller['token']
}

/**
 * Begins a session in a browser, and leads on: to the form that waits, or to a page.
 * @throws Problem 401 the account has changed meanwhile
 */
export async function startSession(
  { headers, sql, now, from: { host } }: RequestContext<PageTools>,
  { me, token }: SignedInBy,
  { next, kept }: Way,
): Promise<ReplyWith<string>> {
  const secret = newSecret()
  const expiresAt = new Date(now.getTime() + lifetime)
  const browser = browserName(headers['user-agent'])
  const session = { hash: hashToken(secret), account: me, token: token?.id, browser, now, expiresAt }
  if (!(await insertSession(sql, session))) throw new Problem(401, 'the account has changed meanwhile')
  const cookie = { 'Set-Cookie': cookieFor(host, secret) }
  if (kept)
    return new ReplyWith(sendAgainPage(host, kept, formTokenOf(secret)), { status: 200, headers: cookie })
  const Location = addressOf(landing(next, mayManage(me, token?.scopes)), host)
  return new ReplyWith('', { status: 303, headers: { Location, ...cookie } })
}

/** The path that a sign-in leads to: where it came from unless that is forbidden to the account, else the start page. */
const landing = (next = '/', managing: boolean) =>
  next.startsWith(`/${managePath}`) && !managing ? '/' : next

/** The page of the step that a sign-in still needs, by why it was refused; undefined: it needs none. */
export function nextStep(
  { tools, now, from: { host } }: RequestContext<PageTools>,
  refusal: Problem,
  user: string,
  way: Way,
): ReplyWith<string> | undefined {
  if (!(refusal instanceof CodeMissing || refusal instanceof PasswordExpired)) return undefined
  const begun = begunSignIn(refusal, user)
  if (!begun) return undefined
  const parts = { host, way, step: sealed(tools.secrets, begun, now) }
  const page =
    refusal instanceof CodeMissing
      ? codePage(parts)
      : newPasswordPage({ ...parts, name: refusal.account.name, faults: {} })
  return new ReplyWith(page, { status: refusal.status, headers: unstored })
}

/** Beside the headers of all pages: of those with a secret in a form. */
export const unstored = { 'Cache-Control': 'no-store' }
