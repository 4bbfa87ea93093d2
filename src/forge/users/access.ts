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

/** Permission about users: the part of `access.ts` that looks at them, made of its steps. */

/** Everybody who may see a user; its name may lead to an organization too. */
export function userSeen(param: string, ...categories: readonly Category[]): ForgeAccess<OnSubject> {
  return access('userSeen', categories, [307, 401, 403, 404], async (context) =>
    onUser(context, param, categories),
  )
}

/** Whoever is signed in and may see a user. */
export function signedInUserSeen(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('signedInUserSeen', categories, [307, 401, 403, 404], async (context) =>
    requireSignedIn(await onUser(context, param, categories)),
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
  return access('tokenKeeper', categories, [307, 401, 403, 404], async (context) => {
    const caller = selfOrAdministering(requireSignedIn(await onUser(context, param, categories)))
    if (caller.via !== 'basic' && !(caller.impersonator ?? caller.me).is_admin) {
      throw new Problem(401, 'auth required')
    }
    if (caller.subject.kind === 'organization') throw notFound(nameUnknown(caller.subject.name))
    return caller
  })
}

/** @throws Problem 403 */
function selfOrAdministering<Who extends SignedInOnSubject>(caller: Who): Who {
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
  const about = requireVisible(
    requireTarget(context, param, caller, nameUnknown),
    nameUnknown(context.params[param] ?? ''),
  )
  if (isPublicOnly(about) && about.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS.user)
  }
  return about
}
