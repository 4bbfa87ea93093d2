import { forbidden, notFound } from '../../http/route/problem.ts'
import { nameKey } from '../accounts/account.ts'
import {
  type AccessContext,
  access,
  type ForgeAccess,
  isPublicOnly,
  type OnSubject,
  requireScope,
  requireSignedIn,
  requireTarget,
  requireVisible,
  type SignedIn,
  type SignedInOnSubject,
  subjectIn,
} from '../auth/access.ts'
import { type Category, PUBLIC_ONLY_REFUSALS } from '../auth/scopes.ts'
import { numberIn } from '../protocol/query.ts'

/** Permission about organizations and their teams: the part of `access.ts` that looks at them, made of its steps. */

/** Everybody who may see an organization. */
export function orgSeen(param: string, ...categories: readonly Category[]): ForgeAccess<OnSubject> {
  return access('orgSeen', categories, [307, 401, 403, 404], async (context) =>
    organization(requireVisible(await onAccount(context, param, categories))),
  )
}

/** Whoever is signed in and may see an organization. */
export function signedInOrgSeen(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('signedInOrgSeen', categories, [307, 401, 403, 404], async (context) =>
    requireSignedIn(organization(requireVisible(await onAccount(context, param, categories)))),
  )
}

/** Members of an organization, and site administrators. Others are refused even where they cannot see it. */
export function orgMember(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('orgMember', categories, [307, 401, 403, 404], async (context) => {
    const caller = requireSignedIn(await onOrg(context, param, categories))
    if (caller.me.is_admin || caller.is_member) return caller
    throw forbidden('Must be an organization member')
  })
}

/** Owners of an organization, and site administrators. Others are refused even where they cannot see it. */
export function orgOwner(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('orgOwner', categories, [307, 401, 403, 404], async (context) =>
    owning(requireSignedIn(await onOrg(context, param, categories))),
  )
}

/** Owners of an organization, site administrators, and who is named by another parameter, about themselves. */
export function orgOwnerOrSelf(
  param: string,
  self: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('orgOwnerOrSelf', categories, [307, 401, 403, 404], async (context) => {
    const caller = requireSignedIn(await onOrg(context, param, categories))
    return caller.me.name.toLowerCase() === nameKey(context.params[self] ?? '') ? caller : owning(caller)
  })
}

/** Whoever may see the team whose id is in the path: like `teamMember`, and members where the team is not private. */
export function teamSeen(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('teamSeen', categories, [401, 403, 404], async (context) => {
    const caller = requireSignedIn(await onTeam(context, param, categories))
    return organization(caller.sees_team ? caller : inTeam(caller))
  })
}

/** Members of the team whose id is in the path, owners of its organization, and site administrators. */
export function teamMember(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('teamMember', categories, [401, 403, 404], async (context) => {
    return organization(inTeam(requireSignedIn(await onTeam(context, param, categories))))
  })
}

/** Owners of the organization whose team the path names by id, and site administrators. */
export function teamOwner(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('teamOwner', categories, [401, 403, 404], async (context) =>
    owning(organization(requireSignedIn(await onTeam(context, param, categories)))),
  )
}

async function onOrg(
  context: AccessContext,
  param: string,
  categories: readonly Category[],
): Promise<OnSubject> {
  return organization(await onAccount(context, param, categories))
}

async function onAccount(
  context: AccessContext,
  param: string,
  categories: readonly Category[],
): Promise<OnSubject> {
  const caller = requireScope(
    context,
    categories,
    await context.tools.authenticator.authenticate(context, subjectIn(context, param)),
  )
  return requireTarget(context, param, caller, () => 'not found')
}

async function onTeam(
  context: AccessContext,
  param: string,
  categories: readonly Category[],
): Promise<OnSubject> {
  const id = numberIn(context.params[param] ?? '')
  const caller = requireScope(
    context,
    categories,
    await context.tools.authenticator.authenticate(context, { team: id }),
  )
  return requireTarget(context, param, caller, () => 'not found')
}

/** @throws Problem 403, 404 */
export function organization<Who extends OnSubject>(caller: Who): Who {
  if (caller.subject.kind !== 'organization') throw notFound()
  if (isPublicOnly(caller) && caller.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS.organization)
  }
  return caller
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
