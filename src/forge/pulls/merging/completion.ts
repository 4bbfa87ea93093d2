import type { CronTask } from '../../../background/cron/cron-task.ts'
import type { Begin, Sql, Tx } from '../../../db/sql.ts'
import type { OpenRepository } from '../../../git/program/git.ts'
import { resolveRef } from '../../../git/repository/revisions.ts'
import { accountById } from '../../accounts/account-store.ts'
import type { GitService } from '../../git-service.ts'
import { recordHappenings } from '../../issue-events/event-store.ts'
import { closeIssues } from '../../issues/closing.ts'
import { closedBy } from '../../issues/closing-words.ts'
import { lockIssue, updateIssue } from '../../issues/issue-store.ts'
import { gitValue } from '../../repos/code.ts'
import { folderOf, repositoryById } from '../../repos/repo-store.ts'
import type { ForgeTools } from '../../route.ts'
import { emitIssueActivity } from '../../watching/events.ts'
import { actingAs, emitPullEvents } from '../pull-events.ts'
import { markMerged } from '../pull-store.ts'
import { deleteAutoMerge } from './auto-merge-store.ts'
import { type BegunMerge, endMerge, mergesBefore } from './merge-store.ts'
import { isOnBranch } from './pushed-merges.ts'

/**
 * Ends merges that were begun: closes the pull request, once the base branch has the commit. What publishes the push of the
 * branch does so, after a crash too; the rest is for announcements whose push was never made or published.
 */

/** What announcing a merge takes; `host` is the root of links. */
export interface ClosingTools {
  gitService: GitService
  host: string
}

/** Closes the pull request of a merge whose branch has moved, and ends its announcement, if there is one. */
export async function completeMerge(tx: Tx, tools: ClosingTools, merge: BegunMerge): Promise<void> {
  await endMerge(tx, merge)
  await closeMerged(tx, tools, merge)
}

/**
 * Closes a pull request as merged, and the issues that it says are done; no change if it is merged already. One that somebody
 * closes while its branch moves is merged all the same, and keeps the time at which it was closed.
 */
export async function closeMerged(tx: Tx, tools: ClosingTools, merge: BegunMerge): Promise<void> {
  const issue = await lockIssue(tx, merge.repository_id, merge.number)
  if (!issue) return
  const { commit_id: commit, style, merger_id: by } = merge
  const [isNew] = await Promise.all([
    markMerged(tx, issue.id, { commit, style, by }),
    deleteAutoMerge(tx, issue.id),
  ])
  if (!isNew) return
  const milestone_id = issue.milestone?.id ?? null
  const [base, sender] = await Promise.all([
    repositoryById(tx, merge.repository_id),
    by === null ? undefined : accountById(tx, by),
    updateIssue(tx, issue.id, { ...issue, milestone_id, closed_at: issue.closed_at ?? tx.now }),
  ])
  const owner = base && (await accountById(tx, base.owner_id))
  if (!owner || !sender) return
  await recordHappenings(tx, { issue: issue.id, actor: sender.id }, [
    { type: 'merge_pull', new_text: commit },
  ])
  await emitIssueActivity(tx, { issue: issue.id, actor: sender.id, audience: true, names: [], accounts: [] })
  const context = actingAs({ sender, owner, base }, tools)
  await emitPullEvents(tx, context, issue.id, [{ action: 'closed' }])
  if (base.settings.has_issues === false) return
  const done = closedBy([issue.title, issue.body], `${owner.name}/${base.name}`)
  await closeIssues(tx, context, new Map(done.map((number) => [number, commit])))
}

/**
 * Completes a merge that has not moved its base branch, or whose process has ended, if the branch has the commit now, and
 * otherwise ends its announcement. Gives whether it is merged.
 * @throws Problem 404, 503
 */
export async function repairMerge(
  {
    sql,
    begin,
    repository,
    tools,
  }: { sql: Sql; begin: Begin; repository: OpenRepository; tools: ClosingTools },
  merge: BegunMerge,
): Promise<boolean> {
  const base = gitValue(await resolveRef(repository, `refs/heads/${merge.base_branch}`))
  const isMerged = base !== undefined && (await isOnBranch(repository, merge, base))
  if (isMerged) await begin((tx) => completeMerge(tx, tools, merge))
  else await endMerge(sql, merge)
  return isMerged
}

/** A merge that was begun earlier than this many milliseconds ago has ended with its process. */
export const maxMergeTime = 180_000

/** The task that completes merges of processes that died. */
export const repairMergesTask = ({
  gitService,
  root,
}: Pick<ForgeTools, 'gitService' | 'root'>): CronTask => ({
  name: 'repair_merges',
  summary: 'Closes pull requests whose server died after it had merged them.',
  schedule: '@every 2m',
  run: async ({ sql, begin, now, signal }) => {
    const left = await mergesBefore(sql, new Date(now.getTime() - maxMergeTime))
    for (const merge of left) {
      signal.throwIfAborted()
      const row = await repositoryById(sql, merge.repository_id)
      const repository = row && gitService.repositories.open(folderOf(row))
      const tools = { gitService, host: root }
      if (repository) await repairMerge({ sql, begin, repository, tools }, merge)
    }
    return left.length > 0 ? `${left.length} ended` : undefined
  },
})
