import type { Begin } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import { lockIssueThreads } from '../notifications/notification-store.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { deleteIssue, lockIssueToDelete } from './issue-store.ts'

/** What a handler is given that deletes an issue. */
type RemovalContext = Exclude<Actor, string> & { caller: SignedInOnRepository; begin: Begin }

/**
 * Deletes an issue with its comments, labels, assignees, reactions, mentions, subscriptions and notifications. As with
 * Gitea no webhook hears of it.
 * @throws Problem 404
 */
export async function removeIssue(ask: RemovalContext, number: number): Promise<void> {
  const { subject, repo } = ask.caller
  await ask.begin(async (tx) => {
    const { id, title } = found(await lockIssueToDelete(tx, repo.id, number))
    // In the order in which everybody locks them: the deletion itself would take them as they come.
    await lockIssueThreads(tx, [id])
    await deleteIssue(tx, id)
    const target = { kind: 'issue', id, name: `${subject.name}/${repo.name}#${number}` }
    await record(tx, ask, { action: 'issue.deleted', target, details: { title } })
  })
}
