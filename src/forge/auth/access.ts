import type { DatabaseLimiter } from '../../http/reads/database-limiter.ts'
import { forbidden, movedTo, notFound, Problem } from '../../http/route/problem.ts'
import type { Access, RequestContext } from '../../http/route/route.ts'
import { type Account, nameKey } from '../accounts/account-store.ts'
import { nameUnknown } from '../accounts/names.ts'
import { VISIBILITIES, type Visibility } from '../accounts/visibility.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import type { AccountSubject, Subject } from '../permissions/repo-lookup-store.ts'
import { movedPath } from '../protocol/moved-path.ts'
import type { Authentication } from './authenticator.ts'
import type { Caller } from './caller.ts'
import { confirmCaller, type LockedTarget } from './confirmation.ts'
import { type Category, type Level, levelOf, PUBLIC_ONLY_REFUSALS, permits, scopeRefusal } from './scopes.ts'

/** A signed-in caller. */
export type SignedIn = Caller & { readonly me: Account }
/** A caller, and the account named in the path. */
export type OnSubject = Caller & { readonly subject: Account }
/** Both. */
export type SignedInOnSubject = SignedIn & OnSubject

/** What access rules use of the tools of the forge. */
interface AccessTools {
  authenticator: Authentication
  /** Bounds what a rule asks the database besides. */
  limiter: DatabaseLimiter
  /** Public root URL with a slash at its end. */
  root: string
}

export type AccessContext = RequestContext<AccessTools>
export type ForgeAccess<Who> = Access<Who, AccessTools>

/**
 * Access rules. This file holds the general ones; the `access.ts` of each other folder holds those of its noun, built
 * from the steps below. A route uses one in its declaration: `access: siteAdmin()`. `categories` are token scope
 * categories; they only limit callers who present a token, and are checked before every role. The checks run in the
 * order of the original forge, because the order decides which of several refusals the caller gets.
 */

/** Anyone, also without credentials. */
export const everyone = (...categories: readonly Category[]) =>
  access('everyone', categories, [401, 403], (context) => authenticate(context, categories))

/** Any signed-in user. */
export const signedIn = (...categories: readonly Category[]) =>
  access('signedIn', categories, [401, 403], async (context) =>
    requireSignedIn(await authenticate(context, categories)),
  )

/** Any signed-in user whose token is not limited to public resources. */
export const signedInFully = (...categories: readonly Category[]) =>
  access('signedInFully', categories, [401, 403], async (context) => {
    const caller = await authenticate(context, categories)
    if (isPublicOnly(caller)) throw forbidden(PUBLIC_ONLY_REFUSALS.endpoint)
    return requireSignedIn(caller)
  })

/** Site administrators. */
export const siteAdmin = () =>
  access('siteAdmin', ['admin'], [401, 403], async (context) =>
    requireAdmin(requireSignedIn(await authenticate(context, ['admin']))),
  )

/** Site administrators, acting on the account `{username}` of any kind. */
export const siteAdminOn = () =>
  access(
    'siteAdminOn',
    ['admin'],
    [307, 401, 403, 404],
    async (context) => {
      const caller = await authenticate(context, ['admin'], accountIn(context, 'username'))
      return requireTarget(context, 'username', requireAdmin(requireSignedIn(caller)), nameUnknown)
    },
    'account',
  )

/**
 * Whether the caller may see an account. A restricted user sees only public organizations and those that the user is a
 * member of.
 */
export function maySee(
  subject: Pick<Account, 'id' | 'visibility'>,
  { me, is_member }: Pick<Caller, 'me' | 'is_member'>,
): boolean {
  if (me && (me.is_admin || me.id === subject.id || is_member)) return true
  if (subject.visibility === 'public') return true
  return subject.visibility === 'limited' && me !== undefined && !me.is_restricted
}

/** The visibilities of organizations that a list shows to a caller who is not a member. */
export function visibleInLists({ me, token }: Pick<Caller, 'me' | 'token'>): readonly Visibility[] {
  if (isPublicOnly({ token }) || !me) return ['public']
  if (me.is_admin) return VISIBILITIES
  return me.is_restricted ? ['public'] : ['public', 'limited']
}

/** Whether the caller's token is limited to public resources. */
export function isPublicOnly({ token }: Pick<Caller, 'token'>): boolean {
  return token?.scopes.publicOnly ?? false
}

/**
 * Statuses with which authentication may refuse a request, in addition to the 401, 403 and 404 that each access rule
 * lists.
 */
export const SIGN_IN_REFUSALS: readonly number[] = [429]

/**
 * Builds an access rule; `refusals` are the statuses with which `admit` may refuse. A change by its callers locks the
 * target (`locks`), and so waits for other changes of it.
 */
export function access<Who extends Caller>(
  name: string,
  categories: readonly Category[],
  refusals: readonly number[],
  admit: (context: AccessContext) => Promise<Who>,
  locks?: LockedTarget,
): ForgeAccess<Who> {
  return {
    name: `${name}(${categories.join(' ')})`,
    refusals: [...refusals, ...SIGN_IN_REFUSALS],
    admit,
    confirm: (caller, tx) => confirmCaller(tx, caller, locks),
    key: keyOf,
    credential: credentialOf,
    observedVersion: ({ seen }) => seen,
  }
}

/**
 * The key of a shared read: everything about the caller that the reply may depend on (account, roles, target). A
 * handler must read what it prints from the database itself: `caller` was read for this request, and a request of
 * another caller with the same key may share its run.
 */
function keyOf({ me, token, subject, repo, is_member, is_owner, is_in_team, sees_team }: Caller): string {
  const who = [me?.id, me?.is_admin, me?.is_restricted, token?.scopes.publicOnly, subject?.id]
  return JSON.stringify([
    ...who,
    repo?.id,
    repo?.level,
    repo?.levels,
    is_member,
    is_owner,
    is_in_team,
    sees_team,
  ])
}

/**
 * The credential of a request: the token with its scopes, or a password. A stored answer may hold what a token with
 * fewer scopes, or a caller without sudo, may not see.
 */
function credentialOf({ impersonator, token, task, via }: Caller): string {
  return JSON.stringify([impersonator?.id, token, task, via === 'session'])
}

/**
 * Authenticates the caller, looks up the target in the same statement, and checks the scopes of the caller's token.
 * @throws Problem 401, 403, 429
 */
export async function authenticate(
  context: AccessContext,
  categories: readonly Category[],
  target?: Subject,
  level: Level = levelOf(context.route.method),
): Promise<Caller> {
  const caller = await context.tools.authenticator.authenticate(context, target)
  if (!caller.token || permits(caller.token.scopes, categories, level)) return caller
  throw forbidden(scopeRefusal(caller.token.scopes, categories, level))
}

/** @throws Problem 401 */
export function requireSignedIn<Who extends Caller>(caller: Who): Who & SignedIn {
  const { me } = caller
  if (me) return { ...caller, me }
  throw new Problem(401, 'token is required')
}

/** @throws Problem 403 */
export function requireAdmin<Who extends SignedIn>(caller: Who): Who {
  if (caller.me.is_admin) return caller
  throw forbidden('user should be the site admin')
}

/**
 * `message` is that for an unknown name, so that a caller cannot tell an invisible account from a missing one.
 * @throws Problem 404
 */
export function requireVisible<Who extends OnSubject>(caller: Who, message?: string): Who {
  if (maySee(caller.subject, caller)) return caller
  throw notFound(message)
}

/** The look-up target of a path that names an account; undefined if no account can have the name. */
export function accountIn(
  { params }: AccessContext,
  param: string,
  more: Omit<AccountSubject, 'name'> = {},
): AccountSubject | undefined {
  const name = nameKey(params[param] ?? '')
  return name === undefined ? undefined : { name, ...more }
}

/**
 * Returns the caller with the target; `param` names the path parameter for it, `unknown` makes the message of the 404.
 * @throws Problem 307 renamed, 404
 */
export function requireTarget<Who extends Caller>(
  context: AccessContext,
  param: string,
  caller: Who,
  unknown: (name: string) => string | undefined = () => undefined,
): Who & OnSubject {
  const { subject, redirect } = caller
  if (subject) return { ...caller, subject }
  // A caller who may not see the account learns neither its new name nor that it exists, unless the caller may read the
  // repository.
  if (!redirect || !(maySee(redirect, caller) || (caller.repo?.level ?? LEVELS.none) >= LEVELS.read))
    throw notFound(unknown(context.params[param] ?? ''))
  throw movedTo(movedPath(context, { root: context.tools.root, names: { [param]: redirect.name } }))
}

/**
 * The same access rule, whose caller also has what `more` returns: an operation that exists at several scopes, such as
 * those of webhooks, learns from it whose resources its path is about.
 */
export const extendCaller = <Who, More>(
  rule: ForgeAccess<Who>,
  more: (caller: Who) => More,
): ForgeAccess<Who & More> => ({
  ...rule,
  admit: async (context) => {
    const caller = await rule.admit(context)
    return { ...caller, ...more(caller) }
  },
})

/**
 * Returns 401 with a challenge instead of a refusal to a caller without credentials: git and package clients only send
 * theirs after one (RFC 9110, section 11.6.1), and the reply does not reveal what exists.
 */
export function challenge({ headers }: AccessContext, refusal: Problem): Problem {
  const isAnonymous =
    headers.authorization === undefined && (refusal.status === 403 || refusal.status === 404)
  if (refusal.status !== 401 && !isAnonymous) return refusal
  return new Problem(401, isAnonymous ? 'sign in first' : refusal.message, {
    headers: { 'WWW-Authenticate': 'Basic realm="Forgehall", charset="UTF-8"' },
  })
}
