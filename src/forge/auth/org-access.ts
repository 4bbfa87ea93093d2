import { forbidden, notFound } from '../../http/route/problem.ts'
import { nameKey } from '../accounts/account-store.ts'
import { numberIn } from '../protocol/query.ts'
import {
  type AccessContext,
  access,
  accountIn,
  authenticate,
  type ForgeAccess,
  isPublicOnly,
  type OnSubject,
  requireSignedIn,
  requireTarget,
  requireVisible,
  type SignedIn,
  type SignedInOnSubject,
} from './access.ts'
import { PUBLIC_ONLY_REFUSALS } from './scopes.ts'

/** Access rules about the organization `{org}` and the team `{id}`, built from the steps in `auth/access.ts`. */

/** Anyone who may see the organization. */
export const orgSeen = () => orgAccess('orgSeen', (caller) => requireOrganization(requireVisible(caller)))

/** Signed-in callers who may see the organization. */
export const signedInOrgSeen = () =>
  orgAccess('signedInOrgSeen', (caller) => requireSignedIn(requireOrganization(requireVisible(caller))))

/** Members of the organization, and site administrators. Others get 403 even if they cannot see it. */
export const orgMember = () =>
  orgAccess('orgMember', (onSubject) => {
    const caller = requireSignedIn(requireOrganization(onSubject))
    if (caller.me.is_admin || caller.is_member) return caller
    throw forbidden('Must be an organization member')
  })

/** Owners of the organization, and site administrators. Others get 403 even if they cannot see it. */
export const orgOwner = () =>
  orgAccess('orgOwner', (caller) => requireOwner(requireSignedIn(requireOrganization(caller))))

/** Owners of the organization, site administrators, and the user `{username}`. */
export const orgOwnerOrSelf = () =>
  orgAccess('orgOwnerOrSelf', (onSubject, { params }) => {
    const caller = requireSignedIn(requireOrganization(onSubject))
    const isSelf = caller.me.name.toLowerCase() === nameKey(params.username ?? '')
    return isSelf ? caller : requireOwner(caller)
  })

/** Callers who may see the team: those of `teamMember`, and members of the organization if the team is not private. */
export const teamSeen = () =>
  teamAccess('teamSeen', (caller) =>
    requireOrganization(caller.sees_team ? caller : requireTeamMember(caller)),
  )

/** Members of the team, owners of its organization, and site administrators. */
export const teamMember = () =>
  teamAccess('teamMember', (caller) => requireOrganization(requireTeamMember(caller)))

/** Owners of the organization of the team, and site administrators. */
export const teamOwner = () => teamAccess('teamOwner', (caller) => requireOwner(requireOrganization(caller)))

function orgAccess<Who extends OnSubject>(
  name: string,
  check: (caller: OnSubject, context: AccessContext) => Who,
): ForgeAccess<Who> {
  const admit = async (context: AccessContext) => {
    const caller = await authenticate(context, ['organization'], accountIn(context, 'org'))
    return check(requireTarget(context, 'org', caller), context)
  }
  return access(name, ['organization'], [307, 401, 403, 404], admit, 'account')
}

function teamAccess(name: string, check: (caller: SignedInOnSubject) => SignedInOnSubject) {
  const admit = async (context: AccessContext) => {
    const team = numberIn(context.params.id ?? '')
    const caller = await authenticate(context, ['organization'], { team })
    return check(requireSignedIn(requireTarget(context, 'id', caller)))
  }
  return access(name, ['organization'], [401, 403, 404], admit, 'account')
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
