import { forbidden, movedTo, notFound, Problem } from '../../http/route/problem.ts'
import { first } from '../../http/route/query.ts'
import { nameKey } from '../accounts/account.ts'
import {
  type AccessContext,
  access,
  type ForgeAccess,
  isPublicOnly,
  maySee,
  type OnSubject,
  requireScope,
  requireSignedIn,
  requireTarget,
  requireVisible,
  type SignedIn,
  type SignedInOnSubject,
} from '../auth/access.ts'
import type { Repo } from '../auth/repository.ts'
import { type Category, type Level, levelOf, PUBLIC_ONLY_REFUSALS } from '../auth/scopes.ts'
import { requireOrganization } from '../orgs/access.ts'
import { movedPath } from '../protocol/moved-path.ts'
import { numberIn } from '../protocol/query.ts'
import { LEVELS } from './access-level.ts'
import type { Part } from './units.ts'

/** Access rules about repositories, built from the steps in `auth/access.ts`. */

/** A caller with at least read access to a repository; `repo.level` is the effective access level. */
export type OnRepository = OnSubject & { readonly repo: Repo }
/** The same, signed in. */
export type SignedInOnRepository = OnRepository & SignedIn

/** Owners of an organization, members of its teams that may create repositories, and site administrators. */
export function orgRepoCreator(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('orgRepoCreator', categories, [401, 403, 404], async (context) => {
    const name = nameKey(context.params[param] ?? '')
    const identity = await context.tools.authenticator.authenticate(
      context,
      name === undefined ? undefined : { name, creates: true },
    )
    const caller = requireSignedIn(requireScope(context, categories, identity))
    const { subject, me } = caller
    // No redirect for former names: clients expect the 404 of the original.
    if (!subject) throw notFound()
    const target = requireOrganization(requireVisible({ ...caller, subject }))
    if (me.is_admin || caller.is_owner || caller.creates) return { ...target, me }
    throw forbidden('User is not allowed to create repositories in this organization.')
  })
}

/** Anyone who may read the repository `{owner}/{repo}`. */
export function repoSeen(...categories: readonly Category[]): ForgeAccess<OnRepository> {
  return access('repoSeen', categories, [307, 401, 403, 404], (context) =>
    onRepo(context, categories, levelOf(context.route.method)),
  )
}

/** Anyone who may read the Actions of `{owner}/{repo}`; `repo.level` is the access level to that unit. */
export function actionsSeen(...categories: readonly Category[]): ForgeAccess<OnRepository> {
  return access('actionsSeen', categories, [307, 401, 403, 404], (context) =>
    onRepo(context, categories, levelOf(context.route.method), 'repo.actions'),
  )
}

/** Anyone who may read the commit statuses of `{owner}/{repo}`. */
export function statusesSeen(...categories: readonly Category[]): ForgeAccess<OnRepository> {
  return access('statusesSeen', categories, [307, 401, 403, 404], (context) =>
    onRepo(context, categories, levelOf(context.route.method), 'commit.statuses'),
  )
}

/** Signed-in callers who may write to the Actions of `{owner}/{repo}`. */
export function actionsWritten(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return requireWrite('actionsWritten', 'repo.actions', categories)
}

/** Signed-in callers who may write the commit statuses of `{owner}/{repo}`. */
export function statusesWritten(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return requireWrite('statusesWritten', 'commit.statuses', categories)
}

function requireWrite(
  name: string,
  part: Part,
  categories: readonly Category[],
): ForgeAccess<SignedInOnRepository> {
  return access(name, categories, [307, 401, 403, 404], async (context) => {
    const caller = requireSignedIn(await onRepo(context, categories, levelOf(context.route.method), part))
    if (caller.repo.level >= LEVELS.write) return caller
    throw forbidden('user should have a permission to write to a repo')
  })
}

/** Signed-in callers who may read the repository and whose token is not limited to public resources. */
export function repoSeenFully(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return access('repoSeenFully', categories, [307, 401, 403, 404], async (context) => {
    const caller = await onRepo(context, categories, levelOf(context.route.method))
    if (isPublicOnly(caller)) throw forbidden(PUBLIC_ONLY_REFUSALS.endpoint)
    return requireSignedIn(caller)
  })
}

/** Anyone who may read the repository whose id is in the path. */
export function repoByIdSeen(param: string, ...categories: readonly Category[]): ForgeAccess<OnRepository> {
  return access('repoByIdSeen', categories, [401, 403, 404], async (context) => {
    const id = numberIn(context.params[param] ?? '')
    const caller = await context.tools.authenticator.authenticate(context, { repositoryId: id })
    return requireReadable(
      requireTarget(context, param, requireScope(context, categories, caller), () => 'not found'),
    )
  })
}

/** Signed-in callers who may read the repository `{owner}/{repo}`. */
export function signedInRepoSeen(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return access('signedInRepoSeen', categories, [307, 401, 403, 404], async (context) =>
    requireSignedIn(await onRepo(context, categories, levelOf(context.route.method))),
  )
}

/** Administrators of the repository, and the user named by the path parameter `self`. */
export function repoAdminOrSelf(
  self: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnRepository> {
  return access('repoAdminOrSelf', categories, [307, 401, 403, 404], async (context) => {
    const caller = requireSignedIn(await onRepo(context, categories, levelOf(context.route.method)))
    return caller.me.name.toLowerCase() === nameKey(context.params[self] ?? '')
      ? caller
      : requireRepoAdmin(caller)
  })
}

/** Administrators of the repository `{owner}/{repo}`. */
export function repoAdmin(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return access('repoAdmin', categories, [307, 401, 403, 404], async (context) => {
    return requireRepoAdmin(requireSignedIn(await onRepo(context, categories, levelOf(context.route.method))))
  })
}

/** @throws Problem 403 */
function requireRepoAdmin(caller: SignedInOnRepository): SignedInOnRepository {
  if (caller.repo.level >= LEVELS.admin) return caller
  throw forbidden('user should be an owner or a collaborator with admin write of a repository')
}

/** Owners of the repository `{owner}/{repo}`: the user, or the owners of the organization. */
export function repoOwner(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return access('repoOwner', categories, [307, 401, 403, 404], async (context) => {
    const caller = requireSignedIn(await onRepo(context, categories, levelOf(context.route.method)))
    if (caller.repo.level >= LEVELS.owner) return caller
    throw forbidden('user should be the owner of the repo')
  })
}

/**
 * Git clients that may fetch from (`read`) or push to (`write`) the repository of a git URL, whose name may end in
 * `.git`. With `service`, the query parameter of that name decides between the two. Refusals are plain text, which git
 * prints. An anonymous client gets 401 whether or not the repository exists.
 */
export function gitClient(mode: Level | 'service'): ForgeAccess<OnRepository> {
  return access(`gitClient ${mode}`, ['repository'], [307, 401, 403, 404], async (context) => {
    const pushes =
      mode === 'write' || (mode === 'service' && first(context.query, 'service') === 'git-receive-pack')
    const level = pushes ? 'write' : 'read'
    try {
      const caller = await onRepo(context, ['repository'], level)
      if (level === 'read' || caller.repo.level >= LEVELS.write) return caller
      throw caller.me ? forbidden('you may not push to this repository') : new Problem(401, 'sign in to push')
    } catch (error) {
      throw error instanceof Problem ? gitProblem(context, error) : error
    }
  })
}

/** RFC 9110 §11.6.1: git only asks for a password after a challenge. */
function gitProblem({ headers }: AccessContext, { status, message, extra }: Problem): Problem {
  const challenge = { 'WWW-Authenticate': 'Basic realm="Forgehall", charset="UTF-8"' }
  if (status === 401 || (headers.authorization === undefined && (status === 403 || status === 404)))
    return new Problem(401, status === 401 ? message : 'sign in first', { form: 'text', headers: challenge })
  return status < 400
    ? new Problem(status, message, extra)
    : new Problem(status, message, { ...extra, form: 'text' })
}

export async function onRepo(
  context: AccessContext,
  categories: readonly Category[],
  level: Level,
  part?: Part,
): Promise<OnRepository> {
  const [name, repository] = [nameKey(context.params.owner ?? ''), repositoryKey(context)]
  const subject = name === undefined ? undefined : { name, repository, ...(part && { part }) }
  const caller = await context.tools.authenticator.authenticate(context, subject)
  const target = requireTarget(
    context,
    'owner',
    requireScope(context, categories, caller, level),
    () => 'not found',
  )
  redirectToOwner(context, target)
  const readable = requireReadable(target)
  if (readable.repo.name.toLowerCase() === repository) return readable
  throw movedTo(movedPath(context, { root: context.tools.root, names: { repo: readable.repo.name } }))
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
  const level = me?.is_admin ? LEVELS.owner : Math.max(repo.level, publicLevel)
  if (level < LEVELS.read) throw notFound()
  if (isPublicOnly(caller) && (repo.is_private || subject.visibility !== 'public'))
    throw forbidden(PUBLIC_ONLY_REFUSALS.repository)
  return { ...caller, repo: { ...repo, level } }
}
