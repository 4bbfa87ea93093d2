import { forbidden, Problem } from '../../http/route/problem.ts'
import { nameUnknown } from '../accounts/names.ts'
import {
  type AccessContext,
  access,
  accountIn,
  authenticate,
  challenge,
  type ForgeAccess,
  isPublicOnly,
  type OnSubject,
  requireSignedIn,
  requireTarget,
  requireVisible,
  type SignedInOnSubject,
} from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { type Level, levelOf, PUBLIC_ONLY_REFUSALS } from '../auth/scopes.ts'
import { LEVELS } from '../repos/access-level.ts'

/**
 * Access to packages. Everyone who may see an owner may read its packages. The user itself, members of teams with write
 * access to the organization's packages, and site administrators may write them.
 */

/** Signed-in users who may read the packages of `{owner}`, or change them if the method is a writing one. */
export function packagesOf(): ForgeAccess<SignedInOnSubject> {
  return access('packagesOf', ['package'], [307, 401, 403, 404], async (context) => {
    const caller = await onOwner(context)
    return requirePackageAccess(context, requireSignedIn(caller), levelOf(context.route.method))
  })
}

/**
 * Callers who may read (`packageReader`) or publish (`packageWriter`) in a package registry of `{owner}`. Anonymous
 * callers get 401 with a challenge instead of 403 or 404, so that the reply does not reveal what exists.
 */
export function packageReader(): ForgeAccess<OnSubject> {
  return access('packageReader', ['package'], [307, 401, 403, 404], (context) =>
    withChallenge(context, async () => requirePackageAccess(context, await onOwner(context), 'read')),
  )
}

/** Anyone who may read the packages of `{owner}`, without a challenge: pages say that there is nothing. */
export function packagesSeen(): ForgeAccess<OnSubject> {
  return access('packagesSeen', ['package'], [307, 401, 403, 404], async (context) =>
    requirePackageAccess(context, await onOwner(context), 'read'),
  )
}

/** Like `packageReader`, for signed-in callers only. */
export function packageReaderKnown(): ForgeAccess<SignedInOnSubject> {
  return access('packageReaderKnown', ['package'], [307, 401, 403, 404], (context) =>
    withChallenge(context, async () =>
      requirePackageAccess(context, requireSignedIn(await onOwner(context)), 'read'),
    ),
  )
}

/** Like `packageReader`, for callers who may publish. */
export function packageWriter(): ForgeAccess<SignedInOnSubject> {
  return access('packageWriter', ['package'], [307, 401, 403, 404], (context) =>
    withChallenge(context, async () =>
      requirePackageAccess(context, requireSignedIn(await onOwner(context)), 'write'),
    ),
  )
}

function onOwner(context: AccessContext): Promise<Caller> {
  return authenticate(context, ['package'], accountIn(context, 'owner', { packages: true }))
}

/** @throws Problem 307, 403, 404 */
function requirePackageAccess<Who extends Caller>(
  context: AccessContext,
  caller: Who,
  level: Level,
): Who & OnSubject {
  const target = requireVisible(
    requireTarget(context, 'owner', caller, nameUnknown),
    nameUnknown(context.params.owner ?? ''),
  )
  if (isPublicOnly(target) && target.subject.visibility !== 'public') {
    throw forbidden(PUBLIC_ONLY_REFUSALS[target.subject.kind === 'organization' ? 'organization' : 'user'])
  }
  const { me, subject, package_level } = target
  const writes = me && (me.is_admin || me.id === subject.id || package_level >= LEVELS.write)
  if (level === 'read' || writes) return target
  throw forbidden('user should have specific permission or be a site admin')
}

async function withChallenge<Who>(context: AccessContext, authorize: () => Promise<Who>): Promise<Who> {
  try {
    return await authorize()
  } catch (error) {
    throw error instanceof Problem ? challenge(context, error) : error
  }
}
