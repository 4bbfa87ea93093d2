import type { Sql } from '../../../db/sql.ts'
import type { RefUpdate } from '../../../git/http/http.ts'
import type { OpenRepository } from '../../../git/program/git.ts'
import { isZeroId } from '../../../git/program/names.ts'
import { mergedPullRefs, mergingCommit } from '../../../git/repository/merging/pull-refs.ts'
import { keepsCommits } from '../../../git/repository/received.ts'
import { found } from '../../../http/route/problem.ts'
import { gitValue } from '../../repos/code.ts'
import type { Repository } from '../../repos/repo-store.ts'
import { type BegunMerge, mergesInto, pullsToDetect } from './merge-store.ts'

/** A pull request that a push merges. */
export interface PushedMerge extends BegunMerge {
  /** The full name of the base branch. */
  ref: string
}

const prefix = 'refs/heads/'

/**
 * The pull requests that a push merges: those whose merge was announced and is on the base branch since, and if the repository
 * detects that, the open ones whose heads are. @throws Problem 503
 */
export async function mergesOfPush(
  sql: Sql,
  at: { row: Pick<Repository, 'id' | 'settings'>; repository: OpenRepository },
  updates: readonly RefUpdate[],
): Promise<PushedMerge[]> {
  const moved = updates.filter(
    ({ ref, before, after }) => ref.startsWith(prefix) && !isZeroId(after) && !isZeroId(before),
  )
  if (moved.length === 0) return []
  const announced = await announcedMerges(sql, at, moved)
  return at.row.settings.autodetect_manual_merge === true
    ? [...announced, ...(await detectedMerges(sql, at, moved))]
    : announced
}

type Place = Parameters<typeof mergesOfPush>[1]

async function announcedMerges(
  sql: Sql,
  { row, repository }: Place,
  moved: readonly RefUpdate[],
): Promise<PushedMerge[]> {
  const afters = new Map(moved.map(({ ref, after }) => [ref, after]))
  const names = [...afters.keys()].map((ref) => ref.slice(prefix.length))
  const merges: PushedMerge[] = []
  for (const merge of await mergesInto(sql, row.id, names)) {
    const ref = prefix + merge.base_branch
    const after = found(afters.get(ref))
    const isOn = after === merge.commit_id || (await isOnBranch(repository, merge, after))
    if (isOn) merges.push({ ...merge, ref })
  }
  return merges
}

/** Whether a branch, which is at a commit, has the commit of a merge. @throws Problem 503 */
export const isOnBranch = async (repository: OpenRepository, merge: BegunMerge, branch: string) =>
  gitValue(await keepsCommits(repository, { before: merge.commit_id, after: branch }))

/** One run of git finds the merged ones of a branch, and another one each of their merges. */
async function detectedMerges(
  sql: Sql,
  { row, repository }: Place,
  moved: readonly RefUpdate[],
): Promise<PushedMerge[]> {
  const merges: PushedMerge[] = []
  for (const { ref, before, after } of moved) {
    const pulls = await pullsToDetect(sql, row.id, ref.slice(prefix.length))
    if (pulls.length === 0) continue
    const merged = new Set(gitValue(await mergedPullRefs(repository, { before, after })))
    for (const pull of pulls.filter(({ number }) => merged.has(number))) {
      const commit_id = gitValue(await mergingCommit(repository, { head: pull.head_commit, after }))
      merges.push({ ...pull, ref, commit_id, style: 'manually-merged', merger_id: null })
    }
  }
  return merges
}
