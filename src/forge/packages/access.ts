import { forbidden, Problem } from '../../http/route/problem.ts'
import { nameKey } from '../accounts/account.ts'
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
} from '../auth/access.ts'
import { type Level, levelOf, PUBLIC_ONLY_REFUSALS } from '../auth/scopes.ts'
import { LEVELS } from '../repos/access-level.ts'

/**
 * Permission about packages: the part of `access.ts` that looks at them, made of its steps. Whoever sees an owner may
 * read its packages; they are written by the user itself, by teams of the organization that may, and by administrators.
 */

/** Whoever is signed in and may read the packages of `{owner}`, or change them where the method does. */
export function packagesOf(): ForgeAccess<SignedInOnSubject> {
  return access('packagesOf', ['package'], [307, 401, 403, 404], async (ask) => {
    const caller = await identify(ask)
    return onPackages(ask, known(caller), levelOf(ask.route.method))
  })
}

/**
 * Who may read (`read`) or publish (`write`) in a package registry of `{owner}`. Whoever has not signed in is asked to,
 * and not told what is there.
 */
export function packageReader(): ForgeAccess<OnSubject> {
  return access('packageReader', ['package'], [307, 401, 403, 404], (ask) =>
    asking(ask, async () => onPackages(ask, await identify(ask), 'read')),
  )
}

/** See `packageReader`; whoever has signed in. */
export function packageReaderKnown(): ForgeAccess<SignedInOnSubject> {
  return access('packageReaderKnown', ['package'], [307, 401, 403, 404], (ask) =>
    asking(ask, async () => onPackages(ask, known(await identify(ask)), 'read')),
  )
}

/** See `packageReader`. */
export function packageWriter(): ForgeAccess<SignedInOnSubject> {
  return access('packageWriter', ['package'], [307, 401, 403, 404], (ask) =>
    asking(ask, async () => onPackages(ask, known(await identify(ask)), 'write')),
  )
}

/** The scope of a token is checked before anything is said of the owner. */
async function identify(ask: Ask) {
  const name = nameKey(ask.params.owner ?? '')
  const subject = name === undefined ? undefined : { name, packages: true as const }
  return reaching(ask, ['package'], await ask.tools.callers.identify(ask, subject))
}

/** @throws Problem 307, 403, 404 */
function onPackages<Who extends Parameters<typeof isPublicOnly>[0] & Parameters<typeof existing>[2]>(
  ask: Ask,
  caller: Who,
  level: Level,
): Who & OnSubject {
  const about = seeing(existing(ask, 'owner', caller, nameUnknown), nameUnknown(ask.params.owner ?? ''))
  if (isPublicOnly(about) && about.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS[about.subject.kind === 'organization' ? 'organization' : 'user'])
  }
  const { me, subject, package_level } = about
  const writes = me && (me.is_admin || me.id === subject.id || package_level >= LEVELS.write)
  if (level === 'read' || writes) return about
  throw forbidden('user should have specific permission or be a site admin')
}

/** RFC 9110, section 11.6.1: without the challenge clients do not send what they have. */
async function asking<Who>(ask: Ask, admit: () => Promise<Who>): Promise<Who> {
  try {
    return await admit()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const isStranger =
      ask.headers.authorization === undefined && (error.status === 403 || error.status === 404)
    if (error.status !== 401 && !isStranger) throw error
    const headers = { 'WWW-Authenticate': 'Basic realm="Forgehall", charset="UTF-8"' }
    throw new Problem(401, isStranger ? 'sign in first' : error.message, { headers })
  }
}
