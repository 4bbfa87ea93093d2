import { forbidden, notFound, Problem } from '../../http/route/problem.ts'
import { nameUnknown } from '../accounts/names.ts'
import {
  type Ask,
  access,
  existing,
  type ForgeAccess,
  isPublicOnly,
  known,
  type OnSubject,
  reaching,
  type SignedInOnSubject,
  seeing,
  subjectIn,
} from '../auth/access.ts'
import { type Category, PUBLIC_ONLY_REFUSALS } from '../auth/scopes.ts'

/** Permission about users: the part of `access.ts` that looks at them, made of its steps. */

/** Everybody who may see a user; its name may lead to an organization too. */
export function userSeen(param: string, ...categories: readonly Category[]): ForgeAccess<OnSubject> {
  return access('userSeen', categories, [307, 401, 403, 404], async (ask) => onUser(ask, param, categories))
}

/** Whoever is signed in and may see a user. */
export function signedInUserSeen(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('signedInUserSeen', categories, [307, 401, 403, 404], async (ask) =>
    known(await onUser(ask, param, categories)),
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
    const caller = selfOrAdministering(known(await onUser(ask, param, categories)))
    if (caller.via !== 'basic' && !(caller.behind ?? caller.me).is_admin) {
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
async function onUser(ask: Ask, param: string, categories: readonly Category[]): Promise<OnSubject> {
  const caller = reaching(ask, categories, await ask.tools.callers.identify(ask, subjectIn(ask, param)))
  const about = seeing(existing(ask, param, caller, nameUnknown), nameUnknown(ask.params[param] ?? ''))
  if (isPublicOnly(about) && about.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS.user)
  }
  return about
}
