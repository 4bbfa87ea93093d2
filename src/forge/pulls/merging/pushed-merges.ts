import type { Sql } from '../../../db/sql.ts'
import type { RefUpdate } from '../../../git/http/http.ts'
import type { OpenRepository } from '../../../git/program/git.ts'
import { isZeroId } from '../../../git/program/names.ts'
import { mergedPullRefs, mergingCommit } from '../../../git/repository/merging/pull-refs.ts'
import { gitValue } from '../../repos/code.ts'
import type { Repository } from '../../repos/repo-store.ts'
import { type BegunMerge, pullsToDetect } from './merge-store.ts'

/** A pull request whose commits a push has brought to its base branch. */
export interface PushedMerge extends Omit<BegunMerge, 'merger_id'> {
  /** The full name of the base branch. */
  ref: string
}

const prefix = 'refs/heads/'

/**
 * The open pull requests that a push merges, if the repository detects that: their heads are on the base branch since. One run
 * of git finds those of a branch, and another one each of their merges. A merge of the API announces itself.
 * @throws Problem 503
 */
export async function mergesOfPush(
  sql: Sql,
  { row, repository }: { row: Pick<Repository, 'id' | 'settings'>; repository: OpenRepository },
  updates: readonly RefUpdate[],
): Promise<PushedMerge[]> {
  if (row.settings.autodetect_manual_merge !== true) return []
  const merges: PushedMerge[] = []
  for (const { ref, before, after } of updates) {
    if (!ref.startsWith(prefix) || isZeroId(after) || isZeroId(before)) continue
    const pulls = await pullsToDetect(sql, row.id, ref.slice(prefix.length))
    if (pulls.length === 0) continue
    const merged = new Set(gitValue(await mergedPullRefs(repository, { before, after })))
    for (const pull of pulls.filter(({ number }) => merged.has(number))) {
      const commit_id = gitValue(await mergingCommit(repository, { head: pull.head_commit, after }))
      merges.push({ ...pull, ref, commit_id, style: 'manually-merged' })
    }
  }
  return merges
}
