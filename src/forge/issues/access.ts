import { forbidden, notFound, Problem } from '../../http/route/problem.ts'
import { type AccessContext, access, type ForgeAccess, requireSignedIn } from '../auth/access.ts'
import { type OnRepository, onRepo, type SignedInOnRepository } from '../repos/access.ts'
import { LEVELS } from '../repos/access-level.ts'

/** Access to the issues of a repository: `repo.level` is the caller's access level to the issues unit. */

/** Anyone who may read the issues of `{owner}/{repo}`; 404 if the repository has issues turned off. */
export function issuesSeen(): ForgeAccess<OnRepository> {
  return access('issuesSeen', ['issue'], [307, 401, 403, 404], onIssues)
}

/** Signed-in users who may read the issues of a repository that is not archived. */
export function issueAuthor(): ForgeAccess<SignedInOnRepository> {
  return access('issueAuthor', ['issue'], [307, 401, 403, 404, 423], async (context) =>
    requireNotArchived(requireSignedIn(await onIssues(context))),
  )
}

/** Signed-in users who may change other users' issues, and the labels. */
export function issueWriter(): ForgeAccess<SignedInOnRepository> {
  return access('issueWriter', ['issue'], [307, 401, 403, 404, 423], async (context) => {
    const caller = requireNotArchived(requireSignedIn(await onIssues(context)))
    if (mayWriteIssues(caller)) return caller
    throw forbidden('user should have permission to write to the issues of the repository')
  })
}

/** Administrators of the repository, who may delete issues. */
export function issueAdmin(): ForgeAccess<SignedInOnRepository> {
  return access('issueAdmin', ['issue'], [307, 401, 403, 404, 423], async (context) => {
    const caller = requireSignedIn(await onIssues(context))
    if (caller.repo.level >= LEVELS.admin) return requireNotArchived(caller)
    throw forbidden('user should be an owner or a collaborator with admin write of a repository')
  })
}

/** Signed-in users who may read the issues, archived repository or not: for subscriptions and reactions. */
export function issueSubscriber(): ForgeAccess<SignedInOnRepository> {
  return access('issueSubscriber', ['issue'], [307, 401, 403, 404], async (context) =>
    requireSignedIn(await onIssues(context)),
  )
}

/** Whether a caller may change the issues and comments of others. */
export const mayWriteIssues = ({ repo }: OnRepository): boolean => repo.level >= LEVELS.write

/** Passes if the caller wrote the text or may change all issues. @throws Problem 403 */
export function requireAuthorOrWriter(caller: SignedInOnRepository, poster: number | null): void {
  if (caller.me.id === poster || mayWriteIssues(caller)) return
  throw forbidden('only the author and those who may write to the issues can change this')
}

async function onIssues(context: AccessContext): Promise<OnRepository> {
  const caller = await onRepo(context, ['issue'], { part: 'repo.issues' })
  if (!caller.repo.has_issues) throw notFound()
  return caller
}

/** @throws Problem 423 */
function requireNotArchived(caller: SignedInOnRepository): SignedInOnRepository {
  const { subject, repo } = caller
  if (repo.is_archived) throw new Problem(423, `${subject.name}/${repo.name} is archived`)
  return caller
}
