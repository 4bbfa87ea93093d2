import { found, Problem } from '../../http/route/problem.ts'
import { permits } from '../auth/scopes.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { numberIn } from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { releaseById, type StoredRelease } from '../repos/release-store.ts'
import type { ForgeContext } from '../route.ts'

/** Access to releases. `repo.level` is the caller's access level to the releases unit. */

/** Whether a caller sees drafts: user and token must permit changes of releases. */
export const seesDrafts = ({ repo, token }: OnRepository): boolean =>
  repo.level >= LEVELS.write && (!token || permits(token.scopes, ['repository'], 'write'))

type OnRelease = ForgeContext<OnRepository, { params: { id: string } }>

/** The release `{id}` of the caller's repository. @throws Problem 404 also for a draft that the caller may not see */
export const releaseIn = async ({ caller, sql, params }: OnRelease): Promise<StoredRelease> =>
  requireShown(caller, await releaseById(sql, caller.repo.id, numberIn(params.id)))

/** The same, to be changed. @throws Problem 404, 423 the repository is archived */
export async function releaseToChange(context: OnRelease): Promise<StoredRelease> {
  const release = await releaseIn(context)
  requireNotArchived(context.caller)
  return release
}

/** @throws Problem 404 there is none, or a draft that the caller may not see */
export function requireShown<Row extends { is_draft: boolean }>(
  caller: OnRepository,
  release: Row | undefined,
): Row {
  return found(release && (!release.is_draft || seesDrafts(caller)) ? release : undefined)
}

/** @throws Problem 423 */
export function requireNotArchived({ repo }: OnRepository): void {
  if (repo.is_archived) throw new Problem(423, 'repo is archived')
}
