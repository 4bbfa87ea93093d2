import { forbidden, movedTo, notFound } from '../../http/route/problem.ts'
import { nameKey } from '../accounts/account-store.ts'
import {
  type AccessContext,
  access,
  accountIn,
  authenticate,
  type ForgeAccess,
  isPublicOnly,
  maySee,
  type OnSubject,
  requireSignedIn,
  requireTarget,
  requireVisible,
  type SignedIn,
  type SignedInOnSubject,
} from '../auth/access.ts'
import { requireOrganization } from '../auth/org-access.ts'
import { type Category, type Level, PUBLIC_ONLY_REFUSALS } from '../auth/scopes.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { levelsOf, type Repo, type TrackerItem, withLevels } from '../permissions/repo-lookup-store.ts'
import { type Part, type Unit, unitOf } from '../permissions/units.ts'
import { movedPath } from '../protocol/moved-path.ts'
import { numberIn } from '../protocol/query.ts'

/**
 * Access rules about repositories, built from the steps in `auth/access.ts`. A rule names the part of the repository
 * that its operations show or change; a part that is turned off is not found by anybody (`onRepo`).
 */

/** A caller with at least read access to a repository; `repo.level` is the effective access level. */
export type OnRepository = OnSubject & { readonly repo: Repo }
/** The same, signed in. */
export type SignedInOnRepository = OnRepository & SignedIn

/** Owners of `{org}`, members of its teams that may create repositories, and site administrators. */
export function orgRepoCreator(): ForgeAccess<SignedInOnSubject> {
  const categories = ['organization', 'repository'] as const
  return access('orgRepoCreator', categories, [401, 403, 404], async (context) => {
    const organization = accountIn(context, 'org', { creates: true })
    const caller = requireSignedIn(await authenticate(context, categories, organization))
    const { subject, me } = caller
    // No redirect for former names: clients expect the 404 of the original.
    if (!subject) throw notFound()
    const target = requireOrganization(requireVisible({ ...caller, subject }))
    if (me.is_admin || caller.is_owner || caller.creates) return target
    throw forbidden('User is not allowed to create repositories in this organization.')
  })
}

/** Anyone who may read the repository `{owner}/{repo}`. */
export const repoSeen = () => repoAccess('repoSeen', (caller) => caller)

/** Anyone who may read the code of `{owner}/{repo}`. */
export const codeSeen = () => repoAccess('codeSeen', (caller) => caller, { part: 'repo.code' })

/** Signed-in callers who may read the code of `{owner}/{repo}`. */
export const signedInCodeSeen = () => repoAccess('signedInCodeSeen', requireSignedIn, { part: 'repo.code' })

/** Signed-in callers who may write to the code of `{owner}/{repo}`. `openToWrite` refuses archived repositories. */
export const codeWritten = () => repoAccess('codeWritten', requireWrite, { part: 'repo.code' })

/** Anyone who may read the Actions of `{owner}/{repo}`; `repo.level` is the access level to that unit. */
export const actionsSeen = () => repoAccess('actionsSeen', (caller) => caller, { part: 'repo.actions' })

/** Anyone who may read the commit statuses of `{owner}/{repo}`. */
export const statusesSeen = () => repoAccess('statusesSeen', (caller) => caller, { part: 'commit.statuses' })

/** Signed-in callers who may write to the Actions of `{owner}/{repo}`. */
export const actionsWritten = () => repoAccess('actionsWritten', requireWrite, { part: 'repo.actions' })

/** Signed-in callers who may write the commit statuses of `{owner}/{repo}`. */
export const statusesWritten = () => repoAccess('statusesWritten', requireWrite, { part: 'commit.statuses' })

/** Anyone who may read the releases of `{owner}/{repo}`; `repo.level` is the access level to them. */
export const releasesSeen = () => repoAccess('releasesSeen', (caller) => caller, { part: 'repo.releases' })

/** Signed-in callers who may write the releases of `{owner}/{repo}`. */
export const releasesWritten = () => repoAccess('releasesWritten', requireWrite, { part: 'repo.releases' })

/** Signed-in callers who may read the repository `{owner}/{repo}`; tokens need `more` categories, too. */
export const signedInRepoSeen = (...more: readonly Category[]) =>
  repoAccess('signedInRepoSeen', requireSignedIn, { categories: [...more, 'repository'] })

/** The same; `transfers.ts` also checks who is offered the repository, and who offers it. */
export const transferParty = () => repoAccess('transferParty', requireSignedIn, { locks: 'repository' })

/** Administrators of the repository, and the user `{collaborator}`. */
export const repoAdminOrSelf = () =>
  repoAccess(
    'repoAdminOrSelf',
    (visitor, { params }) => {
      const caller = requireSignedIn(visitor)
      const isSelf = caller.me.name.toLowerCase() === nameKey(params.collaborator ?? '')
      return isSelf ? caller : requireRepoAdmin(caller)
    },
    { locks: 'repository' },
  )

/** Administrators of the repository `{owner}/{repo}`. */
export const repoAdmin = () =>
  repoAccess('repoAdmin', (caller) => requireRepoAdmin(requireSignedIn(caller)), { locks: 'repository' })

/** Owners of the repository `{owner}/{repo}`: the user, or the owners of the organization. */
export const repoOwner = () =>
  repoAccess(
    'repoOwner',
    (visitor) => {
      const caller = requireSignedIn(visitor)
      if (caller.repo.level >= LEVELS.owner) return caller
      throw forbidden('user should be the owner of the repo')
    },
    { locks: 'repository' },
  )

/** Signed-in callers who may read the repository and whose token is not limited to public resources. */
export const repoSeenFully = (...categories: readonly Category[]) =>
  access('repoSeenFully', categories, [307, 401, 403, 404], async (context) => {
    const caller = await onRepo(context, categories)
    if (isPublicOnly(caller)) throw forbidden(PUBLIC_ONLY_REFUSALS.endpoint)
    return requireSignedIn(caller)
  })

/** Anyone who may read the repository with the id `{id}`. */
export const repoByIdSeen = () =>
  access('repoByIdSeen', ['repository'], [401, 403, 404], async (context) => {
    return onRepoById(context, numberIn(context.params.id ?? ''))
  })

function repoAccess<Who extends OnRepository>(
  name: string,
  check: (caller: OnRepository, context: AccessContext) => Who,
  {
    part,
    locks,
    categories = ['repository'],
  }: { part?: Part; locks?: 'repository'; categories?: readonly Category[] } = {},
): ForgeAccess<Who> {
  const admit = async (context: AccessContext) => check(await onRepo(context, categories, { part }), context)
  return access(name, categories, [307, 401, 403, 404], admit, locks)
}

/** @throws Problem 403 */
function requireWrite(visitor: OnRepository): SignedInOnRepository {
  const caller = requireSignedIn(visitor)
  if (caller.repo.level >= LEVELS.write) return caller
  throw forbidden('user should have a permission to write to a repo')
}

/** @throws Problem 403 */
function requireRepoAdmin(caller: SignedInOnRepository): SignedInOnRepository {
  if (caller.repo.level >= LEVELS.admin) return caller
  throw forbidden('user should be an owner or a collaborator with admin write of a repository')
}

/**
 * The caller and the repository of the path. With `part`, `repo.level` is the access level to it.
 * @throws Problem 307, 401, 403, 404 also if the part is turned off
 */
export async function onRepo(
  context: AccessContext,
  categories: readonly Category[],
  { part, item, level }: { part?: Part | undefined; item?: TrackerItem | undefined; level?: Level } = {},
): Promise<OnRepository> {
  const repository = repositoryKey(context)
  const account = accountIn(context, 'owner', { repository, ...(part && { part }), ...(item && { item }) })
  const target = requireTarget(context, 'owner', await authenticate(context, categories, account, level))
  redirectToOwner(context, target)
  const readable = requireReadable(target)
  if (part && !isOn(readable.repo, part)) throw notFound()
  if (readable.repo.name.toLowerCase() === repository) return readable
  throw movedTo(movedPath(context, { root: context.tools.root, names: { repo: readable.repo.name } }))
}

/**
 * The caller and a repository by its id, with the access level to a part of it.
 * @throws Problem 401, 403, 404 also if the part is turned off
 */
export async function onRepoById(
  context: AccessContext,
  repositoryId: number,
  {
    part,
    item,
    categories = ['repository'],
  }: { part?: Part; item?: TrackerItem; categories?: readonly Category[] } = {},
): Promise<OnRepository> {
  const subject = { repositoryId, ...(part && { part }), ...(item && { item }) }
  const caller = await authenticate(context, categories, subject)
  const readable = requireReadable(requireTarget(context, 'id', caller))
  if (part && !isOn(readable.repo, part)) throw notFound()
  return readable
}

/**
 * If the account in the path is a former owner, redirects callers who may read the repository to the current owner.
 * @throws Problem 307, 404
 */
function redirectToOwner(context: AccessContext, { repo, me, subject }: OnSubject): void {
  if (!repo || repo.owner.id === subject.id) return
  const { name: owner, visibility } = repo.owner
  const isOwnerVisible =
    visibility === 'public' || (visibility === 'limited' && me !== undefined && !me.is_restricted)
  if (!me?.is_admin && repo.level < LEVELS.read && (repo.is_private || !isOwnerVisible)) throw notFound()
  throw movedTo(movedPath(context, { root: context.tools.root, names: { owner, repo: repo.name } }))
}

/** Whether the unit of a part is turned on for the repository; for the whole tracker, one of its units. */
function isOn(repo: Repo, part: Part): boolean {
  if (part !== 'tracker') return isUnitOn(repo, unitOf(part))
  return repo.unit ? isUnitOn(repo, repo.unit) : repo.has_issues || repo.has_pull_requests
}

/** Other units than these five have no operations. */
function isUnitOn(repo: Repo, unit: Unit): boolean {
  if (unit === 'repo.code') return repo.has_code
  if (unit === 'repo.issues') return repo.has_issues
  if (unit === 'repo.pulls') return repo.has_pull_requests
  if (unit === 'repo.releases') return repo.has_releases
  return unit !== 'repo.actions' || repo.has_actions
}

/** Returns "" for an invalid name, which no repository has. */
function repositoryKey({ params, route }: AccessContext): string {
  const name = params.repo ?? ''
  const withoutSuffix = route.path.startsWith('/{owner}/') ? name.replace(/\.git$/i, '') : name
  return /^[\w.-]{1,100}$/.test(withoutSuffix) ? withoutSuffix.toLowerCase() : ''
}

/**
 * Adds the effective access level: site administrators have full access, and callers who can see the owner may read
 * public repositories.
 * @throws Problem 403, 404
 */
function requireReadable(caller: OnSubject): OnRepository {
  const { repo, me, subject } = caller
  if (!repo) throw notFound()
  const publicLevel = !repo.is_private && maySee(subject, caller) ? LEVELS.read : LEVELS.none
  const effective = (level: number) => (me?.is_admin ? LEVELS.owner : Math.max(level, publicLevel))
  const readable = repo.levels
    ? withLevels(
        repo,
        levelsOf(repo.levels, (unit, level) => (isUnitOn(repo, unit) ? effective(level) : 0)),
      )
    : { ...repo, level: effective(repo.level) }
  if (readable.level < LEVELS.read) throw notFound()
  if (isPublicOnly(caller) && (repo.is_private || subject.visibility !== 'public'))
    throw forbidden(PUBLIC_ONLY_REFUSALS.repository)
  return { ...caller, repo: readable }
}
