import { forbidden, notFound, Problem } from '../../http/route/problem.ts'
import { type AccessContext, access, type ForgeAccess, requireSignedIn } from '../auth/access.ts'
import { levelOf } from '../auth/scopes.ts'
import { type OnRepository, onRepo, type SignedInOnRepository } from '../repos/access.ts'
import { LEVELS } from '../repos/access-level.ts'

/** Permission about the issues of a repository: `repo.level` is what a caller may do with that part. */

/** Everybody who may read the issues of the repository that `{owner}/{repo}` names, where it has any. */
export function issuesSeen(): ForgeAccess<OnRepository> {
  return access('issuesSeen', ['issue'], [307, 401, 403, 404], onIssues)
}

/** Whoever is signed in and may read the issues, where there may be new ones. */
export function issueAuthor(): ForgeAccess<SignedInOnRepository> {
  return access('issueAuthor', ['issue'], [307, 401, 403, 404, 423], async (context) =>
    changing(requireSignedIn(await onIssues(context))),
  )
}

/** Who may change the issues of others, and the labels. */
export function issueWriter(): ForgeAccess<SignedInOnRepository> {
  return access('issueWriter', ['issue'], [307, 401, 403, 404, 423], async (context) => {
    const caller = changing(requireSignedIn(await onIssues(context)))
    if (writesIssues(caller)) return caller
    throw forbidden('user should have permission to write to the issues of the repository')
  })
}

/** Who may delete issues: administrators of the repository. */
export function issueAdmin(): ForgeAccess<SignedInOnRepository> {
  return access('issueAdmin', ['issue'], [307, 401, 403, 404, 423], async (context) => {
    const caller = requireSignedIn(await onIssues(context))
    if (caller.repo.level >= LEVELS.admin) return changing(caller)
    throw forbidden('user should be an owner or a collaborator with admin write of a repository')
  })
}

/** Everybody who is signed in and may read the issues, archived or not: for subscriptions and reactions. */
export function issueSubscriber(): ForgeAccess<SignedInOnRepository> {
  return access('issueSubscriber', ['issue'], [307, 401, 403, 404], async (context) =>
    requireSignedIn(await onIssues(context)),
  )
}

/** Whether a caller may change the issues and comments of others. */
export const writesIssues = ({ repo }: OnRepository): boolean => repo.level >= LEVELS.write

/** Who may change what somebody wrote: that somebody, and whoever may change all. @throws Problem 403 */
export function keepAuthors(caller: SignedInOnRepository, poster: number | null): void {
  if (caller.me.id === poster || writesIssues(caller)) return
  throw forbidden('only the author and those who may write to the issues can change this')
}

async function onIssues(context: AccessContext): Promise<OnRepository> {
  const caller = await onRepo(context, ['issue'], levelOf(context.route.method), 'repo.issues')
  if (!caller.repo.has_issues) throw notFound()
  return caller
}

/** @throws Problem 423 */
function changing(caller: SignedInOnRepository): SignedInOnRepository {
  const { subject, repo } = caller
  if (repo.is_archived) throw new Problem(423, `${subject.name}/${repo.name} is archived`)
  return caller
}
