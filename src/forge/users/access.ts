import { forbidden, notFound, Problem } from '../../http/route/problem.ts'
import { nameUnknown } from '../accounts/names.ts'
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
  type SignedInOnSubject,
  subjectIn,
} from '../auth/access.ts'
import { type Category, PUBLIC_ONLY_REFUSALS } from '../auth/scopes.ts'

/** Access rules about users, built from the steps in `auth/access.ts`. */

/** Anyone who may see the user; the name may belong to an organization too. */
export function userSeen(param: string, ...categories: readonly Category[]): ForgeAccess<OnSubject> {
  return access('userSeen', categories, [307, 401, 403, 404], async (context) =>
    onUser(context, param, categories),
  )
}

/** Signed-in callers who may see the user. */
export function signedInUserSeen(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('signedInUserSeen', categories, [307, 401, 403, 404], async (context) =>
    requireSignedIn(await onUser(context, param, categories)),
  )
}

/**
 * Callers who may manage the tokens of a user: the user, and site administrators. They must use a password, a token
 * inside Basic, or the token of an administrator, with which programs set up other programs. Organizations have no
 * tokens.
 */
export function tokenKeeper(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('tokenKeeper', categories, [307, 401, 403, 404], async (context) => {
    const caller = requireSelfOrAdmin(requireSignedIn(await onUser(context, param, categories)))
    if (caller.via !== 'basic' && !(caller.impersonator ?? caller.me).is_admin) {
      throw new Problem(401, 'auth required')
    }
    if (caller.subject.kind === 'organization') throw notFound(nameUnknown(caller.subject.name))
    return caller
  })
}

/** @throws Problem 403 */
function requireSelfOrAdmin<Who extends SignedInOnSubject>(caller: Who): Who {
  if (caller.me.is_admin || caller.me.id === caller.subject.id) return caller
  throw forbidden('doer should be the site admin or be same as the contextUser')
}

/** @throws Problem 307, 403, 404 */
async function onUser(
  context: AccessContext,
  param: string,
  categories: readonly Category[],
): Promise<OnSubject> {
  const caller = requireScope(
    context,
    categories,
    await context.tools.authenticator.authenticate(context, subjectIn(context, param)),
  )
  const target = requireVisible(
    requireTarget(context, param, caller, nameUnknown),
    nameUnknown(context.params[param] ?? ''),
  )
  if (isPublicOnly(target) && target.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS.user)
  }
  return target
}
