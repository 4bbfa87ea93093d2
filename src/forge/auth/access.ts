import { forbidden, movedTo, notFound, Problem } from '../../http/route/problem.ts'
import type { Access, RequestContext } from '../../http/route/route.ts'
import { type Account, nameKey } from '../accounts/account.ts'
import { nameUnknown } from '../accounts/names.ts'
import { VISIBILITIES, type Visibility } from '../accounts/visibility.ts'
import { movedPath } from '../protocol/moved-path.ts'
import { LEVELS } from '../repos/access-level.ts'
import type { ForgeTools } from '../route.ts'
import type { Caller } from './caller.ts'
import type { Subject } from './lookup.ts'
import { type Category, type Level, levelOf, PUBLIC_ONLY_REFUSALS, permits, scopeRefusal } from './scopes.ts'

/** A caller who is signed in. */
export type SignedIn = Caller & { readonly me: Account }
/** A caller, and the account that the path is about. */
export type OnSubject = Caller & { readonly subject: Account }
/** Both. */
export type SignedInOnSubject = SignedIn & OnSubject

export type AccessContext = RequestContext<ForgeTools>
export type ForgeAccess<Who> = Access<Who, ForgeTools>

/**
 * All permission of the forge, here and, about one noun each, in the `…-access.ts` files, which are made of the steps
 * below. Each function is used in a declaration: `access: siteAdmin()`. `categories` are those of token scopes; they
 * limit callers with a token and nobody else, and are checked before every role. `param` names the path parameter that
 * holds the account. The order of the checks is that of the real forge, since it decides which of several refusals a
 * caller hears.
 */

/** Everybody, also without credentials. */
export function everyone(...categories: readonly Category[]): ForgeAccess<Caller> {
  return access('everyone', categories, [401, 403], async (ask) =>
    requireScope(ask, categories, await ask.tools.callers.authenticate(ask)),
  )
}

/** Whoever is signed in. */
export function signedIn(...categories: readonly Category[]): ForgeAccess<SignedIn> {
  return access('signedIn', categories, [401, 403], async (ask) =>
    requireSignedIn(requireScope(ask, categories, await ask.tools.callers.authenticate(ask))),
  )
}

/** Whoever is signed in, but not with a token that is limited to public things. */
export function signedInFully(...categories: readonly Category[]): ForgeAccess<SignedIn> {
  return access('signedInFully', categories, [401, 403], async (ask) => {
    const caller = requireScope(ask, categories, await ask.tools.callers.authenticate(ask))
    if (isPublicOnly(caller)) throw forbidden(PUBLIC_ONLY_REFUSALS.endpoint)
    return requireSignedIn(caller)
  })
}

/** Site administrators. */
export function siteAdmin(...categories: readonly Category[]): ForgeAccess<SignedIn> {
  const needed = categories.length > 0 ? categories : (['admin'] as const)
  return access('siteAdmin', needed, [401, 403], async (ask) =>
    requireAdmin(requireSignedIn(requireScope(ask, needed, await ask.tools.callers.authenticate(ask)))),
  )
}

/** Site administrators, about an account of any kind. */
export function siteAdminOn(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  const needed = categories.length > 0 ? categories : (['admin'] as const)
  return access('siteAdminOn', needed, [307, 401, 403, 404], async (ask) => {
    const caller = await ask.tools.callers.authenticate(ask, subjectIn(ask, param))
    return requireTarget(
      ask,
      param,
      requireAdmin(requireSignedIn(requireScope(ask, needed, caller))),
      nameUnknown,
    )
  })
}

/**
 * Whether an account may see another one. Restricted accounts see of organizations only what they are members of,
 * except where everybody, even without signing in, sees them.
 */
export function maySee(
  subject: Pick<Account, 'id' | 'visibility'>,
  { me, is_member }: Pick<Caller, 'me' | 'is_member'>,
): boolean {
  if (me && (me.is_admin || me.id === subject.id || is_member)) return true
  if (subject.visibility === 'public') return true
  return subject.visibility === 'limited' && me !== undefined && !me.is_restricted
}

/** Which organizations a list shows to somebody who is in none of them. */
export function visibleInLists({ me, token }: Pick<Caller, 'me' | 'token'>): readonly Visibility[] {
  if (isPublicOnly({ token }) || !me) return ['public']
  if (me.is_admin) return VISIBILITIES
  return me.is_restricted ? ['public'] : ['public', 'limited']
}

/** Whether the caller's token shows public things only. */
export function isPublicOnly({ token }: Pick<Caller, 'token'>): boolean {
  return token?.scopes.publicOnly ?? false
}

/** Statuses that finding out who calls may refuse with, beside the 401, 403 and 404 that each permission lists itself. */
export const SIGN_IN_REFUSALS: readonly number[] = [429]

/** A permission from its parts; `refusals` are the statuses that `admit` may refuse with. */
export function access<Who extends Caller>(
  name: string,
  categories: readonly Category[],
  refusals: readonly number[],
  admit: (ask: AccessContext) => Promise<Who>,
): ForgeAccess<Who> {
  return {
    name: `${name}(${categories.join(' ')})`,
    refusals: [...refusals, ...SIGN_IN_REFUSALS],
    admit,
    key: keyOf,
    observedVersion: ({ seen }) => seen,
  }
}

/**
 * Names all that an answer to a shared read may depend on: who asks, with which standing, about whom. What the handler
 * prints it must read itself: the accounts in `caller` were read for this request, and another one may share its run.
 */
function keyOf({ me, token, subject, repo, is_member, is_owner, is_in_team, sees_team }: Caller): string {
  const who = [me?.id, me?.is_admin, me?.is_restricted, token?.scopes.publicOnly, subject?.id]
  return JSON.stringify([...who, repo?.id, repo?.level, is_member, is_owner, is_in_team, sees_team])
}

/** @throws Problem 403 */
export function requireScope(
  ask: AccessContext,
  categories: readonly Category[],
  caller: Caller,
  level?: Level,
): Caller {
  const needed = level ?? levelOf(ask.route.method)
  if (!caller.token || permits(caller.token.scopes, categories, needed)) return caller
  throw forbidden(scopeRefusal(caller.token.scopes, categories, needed))
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

/** `sentence` is that for a name that nobody has: who may not see an account cannot tell. @throws Problem 404 */
export function requireVisible<Who extends OnSubject>(caller: Who, sentence?: string): Who {
  if (maySee(caller.subject, caller)) return caller
  throw notFound(sentence)
}

/** What to look up for a path that names an account. */
export function subjectIn({ params }: AccessContext, param: string): Subject | undefined {
  const name = nameKey(params[param] ?? '')
  return name === undefined ? undefined : { name }
}

/** @throws Problem 307 renamed, 404 */
export function requireTarget<Who extends Caller>(
  ask: AccessContext,
  param: string,
  caller: Who,
  sentence: (name: string) => string,
): Who & OnSubject {
  const { subject, moved } = caller
  if (subject) return { ...caller, subject }
  // Whoever may not see an account is not told its new name, nor that it exists; who uses its repository knows it.
  if (!moved || !(maySee(moved, caller) || (caller.repo?.level ?? LEVELS.none) >= LEVELS.read))
    throw notFound(sentence(ask.params[param] ?? ''))
  throw movedTo(movedPath(ask, { root: ask.tools.root, names: { [param]: moved.name } }))
}
