import type { Tx } from '../../db/sql.ts'

/** The only writer of `forge.pull_request`. */

/** How a pull request was merged. */
interface MergeRecord {
  commit: string
  /** As the API names it. */
  style: string
  /** Null: the account has been deleted. */
  by: number | null
}

/** Stores that the pull request of an issue is merged. */
export async function markMerged(tx: Tx, issue: number, { commit, style, by }: MergeRecord): Promise<void> {
  await tx`
    update forge.pull_request
    set merged_at = ${tx.now}, merged_by = ${by}, merged_commit = ${commit}, merge_style = ${style}
    where issue_id = ${issue} and merged_at is null`
}
