import { forbidden, notFound } from '../../http/route/problem.ts'
import { nameKey } from '../accounts/account.ts'
import {
  type Ask,
  access,
  existing,
  type ForgeAccess,
  isPublicOnly,
  known,
  type OnSubject,
  reaching,
  type SignedIn,
  type SignedInOnSubject,
  seeing,
  subjectIn,
} from '../auth/access.ts'
import { type Category, PUBLIC_ONLY_REFUSALS } from '../auth/scopes.ts'
import { numberIn } from '../protocol/query.ts'

/** Permission about organizations and their teams: the part of `access.ts` that looks at them, made of its steps. */

/** Everybody who may see an organization. */
export function orgSeen(param: string, ...categories: readonly Category[]): ForgeAccess<OnSubject> {
  return access('orgSeen', categories, [307, 401, 403, 404], async (ask) =>
    organization(seeing(await onAccount(ask, param, categories))),
  )
}

/** Whoever is signed in and may see an organization. */
export function signedInOrgSeen(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('signedInOrgSeen', categories, [307, 401, 403, 404], async (ask) =>
    known(organization(seeing(await onAccount(ask, param, categories)))),
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
    return organization(caller.sees_team ? caller : inTeam(caller))
  })
}

/** Members of the team whose id is in the path, owners of its organization, and site administrators. */
export function teamMember(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('teamMember', categories, [401, 403, 404], async (ask) => {
    return organization(inTeam(known(await onTeam(ask, param, categories))))
  })
}

/** Owners of the organization whose team the path names by id, and site administrators. */
export function teamOwner(param: string, ...categories: readonly Category[]): ForgeAccess<SignedInOnSubject> {
  return access('teamOwner', categories, [401, 403, 404], async (ask) =>
    owning(organization(known(await onTeam(ask, param, categories)))),
  )
}

async function onOrg(ask: Ask, param: string, categories: readonly Category[]): Promise<OnSubject> {
  return organization(await onAccount(ask, param, categories))
}

async function onAccount(ask: Ask, param: string, categories: readonly Category[]): Promise<OnSubject> {
  const caller = reaching(ask, categories, await ask.tools.callers.identify(ask, subjectIn(ask, param)))
  return existing(ask, param, caller, () => 'not found')
}

async function onTeam(ask: Ask, param: string, categories: readonly Category[]): Promise<OnSubject> {
  const id = numberIn(ask.params[param] ?? '')
  const caller = reaching(ask, categories, await ask.tools.callers.identify(ask, { team: id }))
  return existing(ask, param, caller, () => 'not found')
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
