import { forbidden, Problem } from '../../http/route/problem.ts'
import { type AccessContext, access, type ForgeAccess, requireSignedIn } from '../auth/access.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import type { TrackerItem } from '../permissions/repo-lookup-store.ts'
import type { TrackerUnit } from '../permissions/units.ts'
import { type OnRepository, onRepo, type SignedInOnRepository } from './access.ts'

/**
 * Access to the issues and pull requests of a repository, which share their operations. `repo.level` is the caller's access
 * level to the unit of the one in the path, or without one the higher of both.
 */

/** Anyone who may read it; 404 if the repository has its unit turned off, or both. */
export const issuesSeen = () => issueAccess('issuesSeen', [], (caller) => caller)

/** Anyone who may read the issues of `{owner}/{repo}`, not only its pull requests. */
export const issuesAloneSeen = () => issueAccess('issuesAloneSeen', [], (caller) => caller, 'repo.issues')

/** Signed-in users who may read the issues, not only the pull requests, of a repository that is not archived. */
export const issueCreator = () =>
  issueAccess('issueCreator', [423], (caller) => requireNotArchived(requireSignedIn(caller)), 'repo.issues')

/** Signed-in users who may read the issues of a repository that is not archived. */
export const issueAuthor = () =>
  issueAccess('issueAuthor', [423], (caller) => requireNotArchived(requireSignedIn(caller)))

/** Signed-in users who may change other users' issues, and the labels. */
export const issueWriter = () =>
  issueAccess('issueWriter', [423], (onRepository) => {
    const caller = requireNotArchived(requireSignedIn(onRepository))
    if (mayWriteIssues(caller)) return caller
    throw forbidden('user should have permission to write to the issues of the repository')
  })

/** Administrators of the repository, who may delete issues. */
export const issueAdmin = () =>
  issueAccess('issueAdmin', [423], (onRepository) => {
    const caller = requireSignedIn(onRepository)
    if (caller.repo.level >= LEVELS.admin) return requireNotArchived(caller)
    throw forbidden('user should be an owner or a collaborator with admin write of a repository')
  })

/** Signed-in users who may read the issues, archived repository or not: for subscriptions and reactions. */
export const issueSubscriber = () => issueAccess('issueSubscriber', [], (caller) => requireSignedIn(caller))

/** Whether a caller may change the issues and comments of others. */
export const mayWriteIssues = ({ repo }: OnRepository): boolean => repo.level >= LEVELS.write

/** Passes if the caller is the author or may change all issues. @throws Problem 403 */
export function requireAuthorOrWriter(caller: SignedInOnRepository, poster: number | null): void {
  if (caller.me.id === poster || mayWriteIssues(caller)) return
  throw forbidden('only the author and those who may write to the issues can change this')
}

/** Passes unless the issue is locked and the caller may not write to the issues. @throws Problem 403 */
export function requireUnlocked(caller: OnRepository, isLocked: boolean): void {
  if (isLocked && !mayWriteIssues(caller))
    throw forbidden(
      'the issue is locked: only those who may write to the issues can comment on it or react to it',
    )
}

function issueAccess<Who extends OnRepository>(
  name: string,
  refusals: readonly number[],
  check: (caller: OnRepository) => Who,
  part: 'tracker' | 'repo.issues' = 'tracker',
): ForgeAccess<Who> {
  return access(name, ['issue'], [307, 401, 403, 404, ...refusals], async (context) =>
    check(await onRepo(context, ['issue'], { part, item: itemIn(context) })),
  )
}

/** The issue or comment that a path is about. */
function itemIn({ params: { index, id }, route }: AccessContext): TrackerItem | undefined {
  if (id !== undefined && route.path.includes('/comments/{id}')) return { comment: id }
  return index === undefined ? undefined : { issue: index }
}

/** Which kinds of issues a caller may read, for lists: only pull requests, only others, or both (undefined). */
export function readableKind({ repo: { levels } }: OnRepository): boolean | undefined {
  const reads = (unit: TrackerUnit) => (levels?.[unit] ?? LEVELS.none) >= LEVELS.read
  if (reads('repo.issues')) return reads('repo.pulls') ? undefined : false
  return true
}

/** @throws Problem 423 */
function requireNotArchived(caller: SignedInOnRepository): SignedInOnRepository {
  const { subject, repo } = caller
  if (repo.is_archived) throw new Problem(423, `${subject.name}/${repo.name} is archived`)
  return caller
}
