import type { Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { emitIssueActivity } from '../watching/events.ts'
import { hasOpenDependency } from './dependency-store.ts'
import { type EventContext, emitIssueEvents } from './events.ts'
import { issueByNumber, lockIssue, updateIssue } from './issue-store.ts'

/**
 * Closes issues of the caller's repository by their numbers, in ascending order, each by a commit. Those that are closed, that
 * wait for others, or that there are not stay as they are; so do pull requests.
 */
export async function closeIssues(
  tx: Tx,
  context: EventContext,
  commits: ReadonlyMap<number, string>,
): Promise<void> {
  const { me, repo } = context.caller
  for (const [number, commit_id] of [...commits].toSorted(([one], [other]) => one - other)) {
    const issue = await lockIssue(tx, repo.id, number)
    if (!issue || issue.is_pull || issue.closed_at !== null || (await hasOpenDependency(tx, issue.id)))
      continue
    await updateIssue(tx, issue.id, {
      ...issue,
      milestone_id: issue.milestone?.id ?? null,
      closed_at: tx.now,
    })
    await recordHappenings(tx, { issue: issue.id, actor: me.id }, [{ type: 'close' }])
    await emitIssueEvents(tx, context, found(await issueByNumber(tx, repo.id, number)), [
      { action: 'closed', commit_id },
    ])
    await emitIssueActivity(tx, { issue: issue.id, actor: me.id, audience: true, names: [], accounts: [] })
  }
}
