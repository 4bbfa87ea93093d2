import { forbidden, notFound, Problem } from '../../http/route/problem.ts'
import { access, type ForgeAccess, requireSignedIn } from '../auth/access.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { type OnRepository, onRepo, type SignedInOnRepository } from '../repos/access.ts'

/**
 * Access to the pull requests of a repository, which show its code: a caller needs both units. `repo.level` is the caller's
 * access level to pull requests.
 */

/** Anyone who may read them. */
export const pullsSeen = () => pullAccess('pullsSeen', [], (caller) => caller)

/** Signed-in users who may read them, archived repository or not: for reactions. */
export const pullSubscriber = () => pullAccess('pullSubscriber', [], requireSignedIn)

/** Signed-in users who may read them, in a repository that is not archived. */
export const pullAuthor = () => pullAccess('pullAuthor', [423], requireNotArchived)

/** Administrators of a repository that is not archived. */
export const pullAdmin = () =>
  pullAccess('pullAdmin', [423], (visitor) => {
    const caller = requireNotArchived(visitor)
    if (caller.repo.level >= LEVELS.admin) return caller
    throw forbidden('Must be repo admin')
  })

/** Anyone who may read them; `repo.level` is the access level to the code, which decides on merges. */
export const mergesSeen = () => mergeAccess('mergesSeen', (caller) => caller)

/** The same, signed in. */
export const merger = () => mergeAccess('merger', requireSignedIn)

const mergeAccess = <Who extends OnRepository>(name: string, check: (caller: OnRepository) => Who) =>
  pullAccess(name, [], (caller) => check({ ...caller, repo: { ...caller.repo, level: codeLevel(caller) } }))

export type PullCaller = SignedInOnRepository

/** @throws Problem 401, 423 */
function requireNotArchived(visitor: OnRepository): PullCaller {
  const caller = requireSignedIn(visitor)
  const { subject, repo } = caller
  if (repo.is_archived) throw new Problem(423, `${subject.name}/${repo.name} is archived`)
  return caller
}

function pullAccess<Who extends OnRepository>(
  name: string,
  refusals: readonly number[],
  check: (caller: OnRepository) => Who,
): ForgeAccess<Who> {
  return access(name, ['repository'], [307, 401, 403, 404, ...refusals], async (context) => {
    const caller = await onRepo(context, ['repository'], { part: 'repo.pulls' })
    if (!caller.repo.has_code || codeLevel(caller) < LEVELS.read || caller.repo.level < LEVELS.read)
      throw notFound()
    return check(caller)
  })
}

/** The caller's access level to the code, which decides on merges. */
export const codeLevel = ({ repo }: OnRepository): number => repo.levels?.['repo.code'] ?? LEVELS.none
