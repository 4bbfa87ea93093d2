import { type DomainEvent, emitEvents, eventsOf } from '../../background/domain-events.ts'
import type { Consumer } from '../../background/outbox.ts'
import type { Tx } from '../../db/sql.ts'
import {
  type IssueActivity,
  insertIssueThreads,
  insertTransferThreads,
  lockIssueThreads,
} from './notification-store.ts'

/**
 * Queues notifications about an issue for when the transaction commits; the consumer determines the recipients later.
 */
export async function emitIssueActivity(tx: Tx, activity: IssueActivity): Promise<void> {
  await emitEvents(tx, issueActivityEvents(activity))
}

/** The event that `emitIssueActivity` emits; none if no account is to be notified. */
export function issueActivityEvents(activity: IssueActivity): DomainEvent[] {
  if (!activity.audience && activity.names.length === 0 && activity.accounts.length === 0) return []
  return [{ kind: 'issue.activity', ...activity }]
}

/**
 * Queues notifications about a repository transfer offer, for those who may accept it, for when the transaction
 * commits.
 */
export async function emitTransferOffer(tx: Tx, repository: number): Promise<void> {
  await emitEvents(tx, [{ kind: 'transfer.offered', repository }])
}

/** Creates the notification threads: one statement per event, regardless of the number of recipients. */
export const notificationConsumer: Consumer = async (sql, events, now) => {
  const activities = eventsOf(events, ['issue.activity'])
  const issues = [...new Set(activities.map(({ issue }) => issue))]
  // A single issue needs no separate lock: its statement locks the threads in order.
  if (issues.length > 1) await lockIssueThreads(sql, issues)
  // In this order on one connection, which does not wait for an answer before it sends the next.
  await Promise.all(activities.map((activity) => insertIssueThreads(sql, activity, now)))
  for (const { repository } of eventsOf(events, ['transfer.offered']))
    await insertTransferThreads(sql, repository, now)
}
