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
import { organization } from '../orgs/access.ts'
import { movedPath } from '../protocol/moved-path.ts'
import { numberIn } from '../protocol/query.ts'
import { LEVELS } from './access-level.ts'
import type { Part } from './units.ts'

/** Permission about repositories: the part of `access.ts` that looks at them, made of its steps. */

/** A caller who may do something in a repository; `repo.level` counts all that it may. */
export type OnRepository = OnSubject & { readonly repo: Repo }
/** One who is signed in. */
export type SignedInOnRepository = OnRepository & SignedIn

/** Owners of an organization, members of its teams that may create repositories, and site administrators. */
export function orgRepoCreator(
  param: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnSubject> {
  return access('orgRepoCreator', categories, [401, 403, 404], async (context) => {
    const name = nameKey(context.params[param] ?? '')
    const found = await context.tools.authenticator.authenticate(
      context,
      name === undefined ? undefined : { name, creates: true },
    )
    const caller = requireSignedIn(requireScope(context, categories, found))
    const { subject, me } = caller
    // A former name leads nowhere here, as clients of the original know it.
    if (!subject) throw notFound()
    const about = organization(requireVisible({ ...caller, subject }))
    if (me.is_admin || caller.is_owner || caller.creates) return { ...about, me }
    throw forbidden('User is not allowed to create repositories in this organization.')
  })
}

/** Everybody who may read the repository that `{owner}/{repo}` names. */
export function repoSeen(...categories: readonly Category[]): ForgeAccess<OnRepository> {
  return access('repoSeen', categories, [307, 401, 403, 404], (context) =>
    onRepo(context, categories, levelOf(context.route.method)),
  )
}

/** Everybody who may read Actions of the repository that `{owner}/{repo}` names; `repo.level` is that of this part. */
export function actionsSeen(...categories: readonly Category[]): ForgeAccess<OnRepository> {
  return access('actionsSeen', categories, [307, 401, 403, 404], (context) =>
    onRepo(context, categories, levelOf(context.route.method), 'repo.actions'),
  )
}

/** Everybody who may read what is said of the commits of the repository that `{owner}/{repo}` names. */
export function statusesSeen(...categories: readonly Category[]): ForgeAccess<OnRepository> {
  return access('statusesSeen', categories, [307, 401, 403, 404], (context) =>
    onRepo(context, categories, levelOf(context.route.method), 'commit.statuses'),
  )
}

/** Whoever may write Actions of the repository that `{owner}/{repo}` names. */
export function actionsWritten(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return writing('actionsWritten', 'repo.actions', categories)
}

/** Whoever may say something of the commits of the repository that `{owner}/{repo}` names. */
export function statusesWritten(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return writing('statusesWritten', 'commit.statuses', categories)
}

function writing(
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

/** Whoever is signed in and may read the repository, but not with a token that is limited to public things. */
export function repoSeenFully(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return access('repoSeenFully', categories, [307, 401, 403, 404], async (context) => {
    const caller = await onRepo(context, categories, levelOf(context.route.method))
    if (isPublicOnly(caller)) throw forbidden(PUBLIC_ONLY_REFUSALS.endpoint)
    return requireSignedIn(caller)
  })
}

/** Everybody who may read the repository whose id is in the path. */
export function repoByIdSeen(param: string, ...categories: readonly Category[]): ForgeAccess<OnRepository> {
  return access('repoByIdSeen', categories, [401, 403, 404], async (context) => {
    const id = numberIn(context.params[param] ?? '')
    const caller = await context.tools.authenticator.authenticate(context, { repositoryId: id })
    return reading(
      requireTarget(context, param, requireScope(context, categories, caller), () => 'not found'),
    )
  })
}

/** Whoever is signed in and may read the repository that `{owner}/{repo}` names. */
export function signedInRepoSeen(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return access('signedInRepoSeen', categories, [307, 401, 403, 404], async (context) =>
    requireSignedIn(await onRepo(context, categories, levelOf(context.route.method))),
  )
}

/** Who may change the settings of a repository, and who is named by another parameter, about themselves. */
export function repoAdminOrSelf(
  self: string,
  ...categories: readonly Category[]
): ForgeAccess<SignedInOnRepository> {
  return access('repoAdminOrSelf', categories, [307, 401, 403, 404], async (context) => {
    const caller = requireSignedIn(await onRepo(context, categories, levelOf(context.route.method)))
    return caller.me.name.toLowerCase() === nameKey(context.params[self] ?? '')
      ? caller
      : administeringRepo(caller)
  })
}

/** Who may change the settings of the repository that `{owner}/{repo}` names. */
export function repoAdmin(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return access('repoAdmin', categories, [307, 401, 403, 404], async (context) => {
    return administeringRepo(
      requireSignedIn(await onRepo(context, categories, levelOf(context.route.method))),
    )
  })
}

/** @throws Problem 403 */
function administeringRepo(caller: SignedInOnRepository): SignedInOnRepository {
  if (caller.repo.level >= LEVELS.admin) return caller
  throw forbidden('user should be an owner or a collaborator with admin write of a repository')
}

/** The owner of the repository that `{owner}/{repo}` names: a user, or the owners of an organization. */
export function repoOwner(...categories: readonly Category[]): ForgeAccess<SignedInOnRepository> {
  return access('repoOwner', categories, [307, 401, 403, 404], async (context) => {
    const caller = requireSignedIn(await onRepo(context, categories, levelOf(context.route.method)))
    if (caller.repo.level >= LEVELS.owner) return caller
    throw forbidden('user should be the owner of the repo')
  })
}

/**
 * Who may fetch from (`read`) or push to (`write`) the repository of a git URL, whose name may end in `.git`; `service`:
 * what the query says that the client is about to do. Refusals
 * are texts, which git shows; whoever has not signed in is asked to, and not told whether the repository is there.
 */
export function gitClient(wish: Level | 'service'): ForgeAccess<OnRepository> {
  return access(`gitClient ${wish}`, ['repository'], [307, 401, 403, 404], async (context) => {
    const pushes =
      wish === 'write' || (wish === 'service' && first(context.query, 'service') === 'git-receive-pack')
    const level = pushes ? 'write' : 'read'
    try {
      const caller = await onRepo(context, ['repository'], level)
      if (level === 'read' || caller.repo.level >= LEVELS.write) return caller
      throw caller.me ? forbidden('you may not push to this repository') : new Problem(401, 'sign in to push')
    } catch (error) {
      throw error instanceof Problem ? forGit(context, error) : error
    }
  })
}

/** RFC 9110, section 11.6.1: without the challenge git does not ask for a password. */
function forGit({ headers }: AccessContext, { status, message, extra }: Problem): Problem {
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
  const about = requireTarget(
    context,
    'owner',
    requireScope(context, categories, caller, level),
    () => 'not found',
  )
  keepOwner(context, about)
  const found = reading(about)
  if (found.repo.name.toLowerCase() === repository) return found
  throw movedTo(movedPath(context, { root: context.tools.root, names: { repo: found.repo.name } }))
}

/** Where the account had the repository before, the way to its owner is shown to who may read it there. @throws Problem 307, 404 */
function keepOwner(context: AccessContext, { repo, me, subject }: OnSubject): void {
  if (!repo || repo.owner.id === subject.id) return
  const { name: owner, visibility } = repo.owner
  const isSeen =
    visibility === 'public' || (visibility === 'limited' && me !== undefined && !me.is_restricted)
  if (!me?.is_admin && repo.level < LEVELS.read && (repo.is_private || !isSeen)) throw notFound()
  throw movedTo(movedPath(context, { root: context.tools.root, names: { owner, repo: repo.name } }))
}

/** No repository has the empty name. */
function repositoryKey({ params, route }: AccessContext): string {
  const name = params.repo ?? ''
  const bare = route.path.startsWith('/{owner}/') ? name.replace(/\.git$/i, '') : name
  return /^[\w.-]{1,100}$/.test(bare) ? bare.toLowerCase() : ''
}

/**
 * The caller with all that it may do in the repository: site administrators everything, and whoever sees the owner may
 * read what is public.
 * @throws Problem 403, 404
 */
function reading(caller: OnSubject): OnRepository {
  const { repo, me, subject } = caller
  if (!repo) throw notFound()
  const open = !repo.is_private && maySee(subject, caller) ? LEVELS.read : LEVELS.none
  const level = me?.is_admin ? LEVELS.owner : Math.max(repo.level, open)
  if (level < LEVELS.read) throw notFound()
  if (isPublicOnly(caller) && (repo.is_private || subject.visibility !== 'public'))
    throw forbidden(PUBLIC_ONLY_REFUSALS.repository)
  return { ...caller, repo: { ...repo, level } }
}
