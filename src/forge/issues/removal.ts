import { found } from '../../http/route/problem.ts'
import { record } from '../admin/audit-trail.ts'
import { lockIssueThreads } from '../notifications/notification-store.ts'
import type { TrackerContext } from './events.ts'
import { deleteIssue, lockIssueToDelete } from './issue-store.ts'

/**
 * Deletes an issue with its comments, labels, assignees, reactions, mentions, subscriptions and notifications. As in
 * Gitea this emits no webhook event.
 * @throws Problem 404
 */
export async function removeIssue(context: TrackerContext, number: number): Promise<void> {
  const { subject, repo } = context.caller
  await context.begin(async (tx) => {
    const { id, title } = found(await lockIssueToDelete(tx, repo.id, number))
    // Lock the threads in the common lock order first; the cascade of the deletion would lock them in any order.
    await lockIssueThreads(tx, [id])
    await deleteIssue(tx, id)
    const target = { kind: 'issue', id, name: `${subject.name}/${repo.name}#${number}` }
    await record(tx, context, { action: 'issue.deleted', target, details: { title } })
  })
}
