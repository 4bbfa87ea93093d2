import { forbidden, notFound, Problem } from '../../http/route/problem.ts'
import { nameUnknown } from '../accounts/names.ts'
import {
  type AccessContext,
  access,
  accountIn,
  authenticate,
  isPublicOnly,
  type OnSubject,
  requireSignedIn,
  requireTarget,
  requireVisible,
  type SignedInOnSubject,
} from './access.ts'
import { type Category, PUBLIC_ONLY_REFUSALS } from './scopes.ts'

/** Access rules about the user `{username}`, built from the steps in `auth/access.ts`. */

/** Anyone who may see the user; the name may belong to an organization too. */
export const userSeen = (...categories: readonly Category[]) =>
  access('userSeen', categories, [307, 401, 403, 404], (context) => onUser(context, categories))

/** Signed-in callers who may see the user. */
export const signedInUserSeen = (...categories: readonly Category[]) =>
  access('signedInUserSeen', categories, [307, 401, 403, 404], async (context) =>
    requireSignedIn(await onUser(context, categories)),
  )

/**
 * Callers who may manage the tokens of a user: the user, and site administrators. They must use a password, a token
 * inside Basic, or the token of an administrator, with which programs set up other programs. Organizations have no
 * tokens.
 */
export const tokenKeeper = () =>
  access('tokenKeeper', ['user'], [307, 401, 403, 404], async (context) => {
    const caller = requireSelfOrAdmin(requireSignedIn(await onUser(context, ['user'])))
    if (caller.via !== 'basic' && !(caller.impersonator ?? caller.me).is_admin) {
      throw new Problem(401, 'auth required')
    }
    if (caller.subject.kind === 'organization') throw notFound(nameUnknown(caller.subject.name))
    return caller
  })

/** @throws Problem 403 */
function requireSelfOrAdmin<Who extends SignedInOnSubject>(caller: Who): Who {
  if (caller.me.is_admin || caller.me.id === caller.subject.id) return caller
  throw forbidden('doer should be the site admin or be same as the contextUser')
}

/** @throws Problem 307, 403, 404 */
async function onUser(context: AccessContext, categories: readonly Category[]): Promise<OnSubject> {
  const caller = await authenticate(context, categories, accountIn(context, 'username'))
  const target = requireVisible(
    requireTarget(context, 'username', caller, nameUnknown),
    nameUnknown(context.params.username ?? ''),
  )
  if (isPublicOnly(target) && target.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS.user)
  }
  return target
}
