import { forbidden, Problem } from '../../http/route/problem.ts'
import { nameKey } from '../accounts/account.ts'
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
} from '../auth/access.ts'
import { type Level, levelOf, PUBLIC_ONLY_REFUSALS } from '../auth/scopes.ts'
import { LEVELS } from '../repos/access-level.ts'

/**
 * Permission about packages: the part of `access.ts` that looks at them, made of its steps. Whoever sees an owner may
 * read its packages; they are written by the user itself, by teams of the organization that may, and by administrators.
 */

/** Whoever is signed in and may read the packages of `{owner}`, or change them where the method does. */
export function packagesOf(): ForgeAccess<SignedInOnSubject> {
  return access('packagesOf', ['package'], [307, 401, 403, 404], async (context) => {
    const caller = await authenticate(context)
    return onPackages(context, requireSignedIn(caller), levelOf(context.route.method))
  })
}

/**
 * Who may read (`read`) or publish (`write`) in a package registry of `{owner}`. Whoever has not signed in is asked to,
 * and not told what is there.
 */
export function packageReader(): ForgeAccess<OnSubject> {
  return access('packageReader', ['package'], [307, 401, 403, 404], (context) =>
    asking(context, async () => onPackages(context, await authenticate(context), 'read')),
  )
}

/** See `packageReader`; whoever has signed in. */
export function packageReaderKnown(): ForgeAccess<SignedInOnSubject> {
  return access('packageReaderKnown', ['package'], [307, 401, 403, 404], (context) =>
    asking(context, async () => onPackages(context, requireSignedIn(await authenticate(context)), 'read')),
  )
}

/** See `packageReader`. */
export function packageWriter(): ForgeAccess<SignedInOnSubject> {
  return access('packageWriter', ['package'], [307, 401, 403, 404], (context) =>
    asking(context, async () => onPackages(context, requireSignedIn(await authenticate(context)), 'write')),
  )
}

/** The scope of a token is checked before anything is said of the owner. */
async function authenticate(context: AccessContext) {
  const name = nameKey(context.params.owner ?? '')
  const subject = name === undefined ? undefined : { name, packages: true as const }
  return requireScope(context, ['package'], await context.tools.callers.authenticate(context, subject))
}

/** @throws Problem 307, 403, 404 */
function onPackages<Who extends Parameters<typeof isPublicOnly>[0] & Parameters<typeof requireTarget>[2]>(
  context: AccessContext,
  caller: Who,
  level: Level,
): Who & OnSubject {
  const about = requireVisible(
    requireTarget(context, 'owner', caller, nameUnknown),
    nameUnknown(context.params.owner ?? ''),
  )
  if (isPublicOnly(about) && about.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS[about.subject.kind === 'organization' ? 'organization' : 'user'])
  }
  const { me, subject, package_level } = about
  const writes = me && (me.is_admin || me.id === subject.id || package_level >= LEVELS.write)
  if (level === 'read' || writes) return about
  throw forbidden('user should have specific permission or be a site admin')
}

/** RFC 9110, section 11.6.1: without the challenge clients do not send what they have. */
async function asking<Who>(context: AccessContext, admit: () => Promise<Who>): Promise<Who> {
  try {
    return await admit()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const isStranger =
      context.headers.authorization === undefined && (error.status === 403 || error.status === 404)
    if (error.status !== 401 && !isStranger) throw error
    const headers = { 'WWW-Authenticate': 'Basic realm="Forgehall", charset="UTF-8"' }
    throw new Problem(401, isStranger ? 'sign in first' : error.message, { headers })
  }
}
