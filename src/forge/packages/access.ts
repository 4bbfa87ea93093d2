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
import { LEVELS } from '../permissions/access-level-store.ts'
import type { ForgeContext, ReceivingContext } from '../route.ts'

/**
 * Access to packages. Everyone who may see an owner may read its packages. The user itself, members of teams with write
 * access to the organization's packages, and site administrators may write them.
 */

/** The context of a handler that changes packages of the owner in its path. */
export type PackageContext = ForgeContext<SignedInOnSubject>

/** The same of one that receives what it stores. */
export type PackageReceivingContext = ReceivingContext<SignedInOnSubject>

/** Signed-in users who may read the packages of `{owner}`, or change them if the method is a writing one. */
export const packagesOf = () => packageAccess('packagesOf', requireSignedIn)

/** Anyone who may read the packages of `{owner}`, without a challenge: pages answer 404 instead. */
export const packagesSeen = () => packageAccess('packagesSeen', anyone, { level: 'read' })

/**
 * Callers who may read (`packageReader`) or publish (`packageWriter`) in a package registry of `{owner}`. Anonymous
 * callers get 401 with a challenge instead of 403 or 404, so that the reply does not reveal what exists.
 */
export const packageReader = () => packageAccess('packageReader', anyone, { level: 'read', challenges: true })

/** Like `packageReader`, for signed-in callers only. */
export const packageReaderKnown = () =>
  packageAccess('packageReaderKnown', requireSignedIn, { level: 'read', challenges: true })

/** Like `packageReader`, for callers who may publish. */
export const packageWriter = () =>
  packageAccess('packageWriter', requireSignedIn, { level: 'write', challenges: true })

const anyone = (caller: Caller) => caller

/** Without `level`, the method decides whether the caller must be allowed to write. */
function packageAccess<Who extends Caller>(
  name: string,
  check: (caller: Caller) => Who,
  { level, challenges = false }: { level?: Level; challenges?: boolean } = {},
): ForgeAccess<Who & OnSubject> {
  return access(name, ['package'], [307, 401, 403, 404], async (context) => {
    try {
      const owner = accountIn(context, 'owner', { packages: true })
      const caller = check(await authenticate(context, ['package'], owner))
      return requirePackageAccess(context, caller, level ?? levelOf(context.route.method))
    } catch (error) {
      throw challenges && error instanceof Problem ? challenge(context, error) : error
    }
  })
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
  if (level === 'read' || writesPackages(target)) return target
  throw forbidden('user should have specific permission or be a site admin')
}

/** Whether somebody may write the packages of an owner; what their token may do is another question. */
export const writesPackages = ({ me, subject, package_level }: OnSubject): boolean =>
  me !== undefined && (me.is_admin || me.id === subject.id || package_level >= LEVELS.write)
