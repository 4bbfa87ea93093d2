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

/** Access rules about organizations and their teams, built from the steps in `auth/access.ts`. */

/** Anyone who may see the organization. */
export function orgSeen(param: string, ...categories: readonly Category[]): ForgeAccess<OnSubject> {
  return access('orgSeen', categories, [307, 401, 403, 404], async (context) =>
    requireOrganization(requireVisible(await authenticateOnAccount(context, param, categories))),
  )
}

/** Signed-in callers who may see the organization. */
export function signedInOrgSeen(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('signedInOrgSeen', categories, [307, 401, 403, 404], async (context) =>
    requireSignedIn(
      requireOrganization(requireVisible(await authenticateOnAccount(context, param, categories))),
    ),
  )
}

/** Members of the organization, and site administrators. Others get 403 even if they cannot see it. */
export function orgMember(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('orgMember', categories, [307, 401, 403, 404], async (context) => {
    const caller = requireSignedIn(await authenticateOnOrg(context, param, categories))
    if (caller.me.is_admin || caller.is_member) return caller
    throw forbidden('Must be an organization member')
  })
}

/** Owners of the organization, and site administrators. Others get 403 even if they cannot see it. */
export function orgOwner(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('orgOwner', categories, [307, 401, 403, 404], async (context) =>
    requireOwner(requireSignedIn(await authenticateOnOrg(context, param, categories))),
  )
}

/** Owners of the organization, site administrators, and the user named by the path parameter `self`. */
export function orgOwnerOrSelf(
  param: string,
  self: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('orgOwnerOrSelf', categories, [307, 401, 403, 404], async (context) => {
    const caller = requireSignedIn(await authenticateOnOrg(context, param, categories))
    return caller.me.name.toLowerCase() === nameKey(context.params[self] ?? '')
      ? caller
      : requireOwner(caller)
  })
}

/**
 * Callers who may see the team whose id is in the path: those of `teamMember`, and members of the organization if the
 * team is not private.
 */
export function teamSeen(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('teamSeen', categories, [401, 403, 404], async (context) => {
    const caller = requireSignedIn(await authenticateOnTeam(context, param, categories))
    return requireOrganization(caller.sees_team ? caller : requireTeamMember(caller))
  })
}

/** Members of the team whose id is in the path, owners of its organization, and site administrators. */
export function teamMember(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('teamMember', categories, [401, 403, 404], async (context) => {
    return requireOrganization(
      requireTeamMember(requireSignedIn(await authenticateOnTeam(context, param, categories))),
    )
  })
}

/** Owners of the organization of the team whose id is in the path, and site administrators. */
export function teamOwner(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('teamOwner', categories, [401, 403, 404], async (context) =>
    requireOwner(requireOrganization(requireSignedIn(await authenticateOnTeam(context, param, categories)))),
  )
}

async function authenticateOnOrg(
  context: AccessContext,
  param: string,
  categories: readonly Category[],
): Promise<OnSubject> {
  return requireOrganization(await authenticateOnAccount(context, param, categories))
}

async function authenticateOnAccount(
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

async function authenticateOnTeam(
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
export function requireOrganization<Who extends OnSubject>(caller: Who): Who {
  if (caller.subject.kind !== 'organization') throw notFound()
  if (isPublicOnly(caller) && caller.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS.organization)
  }
  return caller
}

/** @throws Problem 403 */
function requireOwner<Who extends SignedIn>(caller: Who): Who {
  if (caller.me.is_admin || caller.is_owner) return caller
  throw forbidden('Must be an organization owner')
}

/** @throws Problem 403, 404 */
function requireTeamMember<Who extends SignedIn>(caller: Who): Who {
  if (caller.me.is_admin || caller.is_owner || caller.is_in_team) return caller
  // A member of the organization may learn that the team exists.
  throw caller.is_member ? forbidden('Must be a team member') : notFound()
}
