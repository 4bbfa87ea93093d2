import { forbidden, movedTo, notFound, Problem } from '../http/problem.ts'
import type { Access, Knock } from '../http/route.ts'
import { type Account, nameKey } from './account.ts'
import type { Caller } from './credentials.ts'
import type { Subject } from './lookup.ts'
import { movedPath } from './moved-path.ts'
import { nameUnknown } from './names.ts'
import type { ForgeTools } from './route.ts'
import { type Category, type Level, levelOf, PUBLIC_ONLY_REFUSALS, permits, scopeRefusal } from './scopes.ts'
import { VISIBILITIES, type Visibility } from './visibility.ts'

/** A caller who is signed in. */
export type SignedIn = Caller & { readonly me: Account }
/** A caller, and the account that the path is about. */
export type OnSubject = Caller & { readonly subject: Account }
/** Both. */
export type SignedInOnSubject = SignedIn & OnSubject

export type Ask = Knock<ForgeTools>
export type ForgeAccess<Who> = Access<Who, ForgeTools>

/**
 * All permission of the forge. Each function is used in a declaration: `access: siteAdmin()`. `categories` are those
 * of token scopes; they limit callers with a token and nobody else, and are checked before every role. `param` names
 * the path parameter that holds the account. The order of the checks is that of the real forge, since it decides
 * which of several refusals a caller hears.
 */

/** Everybody, also without credentials. */
export function everyone(...categories: readonly Category[]): ForgeAccess<Caller> {
  return access('everyone', categories, [401, 403], async (ask) =>
    reaching(ask, categories, await ask.tools.callers.identify(ask)),
  )
}

/** Whoever is signed in. */
export function signedIn(...categories: readonly Category[]): ForgeAccess<SignedIn> {
  return access('signedIn', categories, [401, 403], async (ask) =>
    known(reaching(ask, categories, await ask.tools.callers.identify(ask))),
  )
}

/** Whoever is signed in, but not with a token that is limited to public things. */
export function signedInFully(...categories: readonly Category[]): ForgeAccess<SignedIn> {
  return access('signedInFully', categories, [401, 403], async (ask) => {
    const caller = reaching(ask, categories, await ask.tools.callers.identify(ask))
    if (isPublicOnly(caller)) throw forbidden(PUBLIC_ONLY_REFUSALS.endpoint)
    return known(caller)
  })
}

/** Site administrators. */
export function siteAdmin(...categories: readonly Category[]): ForgeAccess<SignedIn> {
  const needed = categories.length > 0 ? categories : (['admin'] as const)
  return access('siteAdmin', needed, [401, 403], async (ask) =>
    administering(known(reaching(ask, needed, await ask.tools.callers.identify(ask)))),
  )
}

/** Site administrators, about an account of any kind. */
export function siteAdminOn(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  const needed = categories.length > 0 ? categories : (['admin'] as const)
  return access('siteAdminOn', needed, [307, 401, 403, 404], async (ask) => {
    const caller = await ask.tools.callers.identify(ask, subjectIn(ask, param))
    return existing(ask, param, administering(known(reaching(ask, needed, caller))), nameUnknown)
  })
}

/** Everybody who may see a user; its name may lead to an organization too. */
export function userSeen(param: string, ...categories: readonly Category[]): ForgeAccess<OnSubject> {
  return access('userSeen', categories, [307, 401, 403, 404], async (ask) =>
    seeing(await onUser(ask, param, categories)),
  )
}

/** Whoever is signed in and may see a user. */
export function signedInUserSeen(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('signedInUserSeen', categories, [307, 401, 403, 404], async (ask) =>
    known(seeing(await onUser(ask, param, categories))),
  )
}

/** A user about itself, or a site administrator about any. */
export function selfOrAdmin(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('selfOrAdmin', categories, [307, 401, 403, 404], async (ask) =>
    selfOrAdministering(known(seeing(await onUser(ask, param, categories)))),
  )
}

/**
 * Who may manage the tokens of a user: the user itself, and a site administrator those of anybody. Without a password
 * only a token inside Basic will do, or that of an administrator: programs set up other programs with it. Organizations
 * have no tokens.
 */
export function tokenKeeper(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('tokenKeeper', categories, [307, 401, 403, 404], async (ask) => {
    const caller = selfOrAdministering(known(seeing(await onUser(ask, param, categories))))
    if (caller.via !== 'basic' && !(caller.behind ?? caller.me).is_admin) {
      throw new Problem(401, 'auth required')
    }
    if (caller.subject.kind === 'organization') throw notFound(nameUnknown(caller.subject.name))
    return caller
  })
}

/** Everybody who may see an organization. */
export function orgSeen(param: string, ...categories: readonly Category[]): ForgeAccess<OnSubject> {
  return access('orgSeen', categories, [307, 401, 403, 404], async (ask) =>
    seeing(await onOrg(ask, param, categories)),
  )
}

/** Whoever is signed in and may see an organization. */
export function signedInOrgSeen(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('signedInOrgSeen', categories, [307, 401, 403, 404], async (ask) =>
    known(seeing(await onOrg(ask, param, categories))),
  )
}

/** Members of an organization, and site administrators. Others are refused even where they cannot see it. */
export function orgMember(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('orgMember', categories, [307, 401, 403, 404], async (ask) => {
    const caller = known(await onOrg(ask, param, categories))
    if (caller.me.is_admin || caller.is_member) return caller
    throw forbidden('Must be an organization member')
  })
}

/** Owners of an organization, and site administrators. Others are refused even where they cannot see it. */
export function orgOwner(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('orgOwner', categories, [307, 401, 403, 404], async (ask) =>
    owning(known(await onOrg(ask, param, categories))),
  )
}

/** Owners of an organization, site administrators, and who is named by another parameter, about themselves. */
export function orgOwnerOrSelf(
  param: string,
  self: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('orgOwnerOrSelf', categories, [307, 401, 403, 404], async (ask) => {
    const caller = known(await onOrg(ask, param, categories))
    return caller.me.name.toLowerCase() === nameKey(ask.params[self] ?? '') ? caller : owning(caller)
  })
}

/** Whoever may see the team whose id is in the path: like `teamMember`, and members where the team is not private. */
export function teamSeen(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('teamSeen', categories, [401, 403, 404], async (ask) => {
    const caller = known(await onTeam(ask, param, categories))
    return caller.sees_team ? caller : inTeam(caller)
  })
}

/** Members of the team whose id is in the path, owners of its organization, and site administrators. */
export function teamMember(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('teamMember', categories, [401, 403, 404], async (ask) => {
    return inTeam(known(await onTeam(ask, param, categories)))
  })
}

/** Owners of the organization whose team the path names by id, and site administrators. */
export function teamOwner(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('teamOwner', categories, [401, 403, 404], async (ask) =>
    owning(known(await onTeam(ask, param, categories))),
  )
}

/**
 * Whether an account may see another one. Restricted accounts see of organizations only what they are members of,
 * except where everybody, even without signing in, sees them.
 */
export function maySee(subject: Account, { me, is_member }: Pick<Caller, 'me' | 'is_member'>): boolean {
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

export function access<Who extends Caller>(
  name: string,
  categories: readonly Category[],
  refusals: readonly number[],
  admit: (ask: Ask) => Promise<Who>,
): ForgeAccess<Who> {
  return { name: `${name}(${categories.join(' ')})`, refusals, admit, key: keyOf }
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
export function reaching(ask: Ask, categories: readonly Category[], caller: Caller, level?: Level): Caller {
  const needed = level ?? levelOf(ask.route.method)
  if (!caller.token || permits(caller.token.scopes, categories, needed)) return caller
  throw forbidden(scopeRefusal(caller.token.scopes, categories, needed))
}

/** @throws Problem 401 */
export function known<Who extends Caller>(caller: Who): Who & SignedIn {
  const { me } = caller
  if (me) return { ...caller, me }
  throw new Problem(401, 'token is required')
}

/** @throws Problem 403 */
function administering<Who extends SignedIn>(caller: Who): Who {
  if (caller.me.is_admin) return caller
  throw forbidden('user should be the site admin')
}

/** @throws Problem 403 */
function selfOrAdministering<Who extends SignedInOnSubject>(caller: Who): Who {
  if (caller.me.is_admin || caller.me.id === caller.subject.id) return caller
  throw forbidden('doer should be the site admin or be same as the contextUser')
}

/** @throws Problem 403 */
function owning<Who extends SignedIn>(caller: Who): Who {
  if (caller.me.is_admin || caller.is_owner) return caller
  throw forbidden('Must be an organization owner')
}

/** @throws Problem 403, 404 */
function inTeam<Who extends SignedIn>(caller: Who): Who {
  if (caller.me.is_admin || caller.is_owner || caller.is_in_team) return caller
  // A member of the organization may know that there is such a team.
  throw caller.is_member ? forbidden('Must be a team member') : notFound()
}

/** @throws Problem 404 */
export function seeing<Who extends OnSubject>(caller: Who): Who {
  if (maySee(caller.subject, caller)) return caller
  throw notFound()
}

async function onUser(ask: Ask, param: string, categories: readonly Category[]): Promise<OnSubject> {
  const caller = reaching(ask, categories, await ask.tools.callers.identify(ask, subjectIn(ask, param)))
  const about = existing(ask, param, caller, nameUnknown)
  if (isPublicOnly(about) && about.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS.user)
  }
  return about
}

async function onOrg(ask: Ask, param: string, categories: readonly Category[]): Promise<OnSubject> {
  const caller = reaching(ask, categories, await ask.tools.callers.identify(ask, subjectIn(ask, param)))
  return organization(existing(ask, param, caller, () => 'not found'))
}

async function onTeam(ask: Ask, param: string, categories: readonly Category[]): Promise<OnSubject> {
  const id = /^\d{1,15}$/.test(ask.params[param] ?? '') ? Number(ask.params[param]) : 0
  const caller = reaching(ask, categories, await ask.tools.callers.identify(ask, { team: id }))
  return organization(existing(ask, param, caller, () => 'not found'))
}

/** @throws Problem 403, 404 */
export function organization(caller: OnSubject): OnSubject {
  if (caller.subject.kind !== 'organization') throw notFound()
  if (isPublicOnly(caller) && caller.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS.organization)
  }
  return caller
}

function subjectIn({ params }: Ask, param: string): Subject | undefined {
  const name = nameKey(params[param] ?? '')
  return name === undefined ? undefined : { name }
}

/** @throws Problem 307 renamed, 404 */
export function existing<Who extends Caller>(
  ask: Ask,
  param: string,
  caller: Who,
  sentence: (name: string) => string,
): Who & OnSubject {
  const { subject, moved } = caller
  if (subject) return { ...caller, subject }
  if (!moved) throw notFound(sentence(ask.params[param] ?? ''))
  // Where somebody went who is not for everybody to see, is not for everybody to know.
  if (!caller.me && moved.visibility !== 'public')
    throw new Problem(404, 'user does not exist', { form: 'text' })
  throw movedTo(movedPath(ask, { root: ask.tools.root, names: { [param]: moved.name } }))
}
