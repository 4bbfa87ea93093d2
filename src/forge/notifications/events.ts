import * as v from 'valibot'
import type { Consumer } from '../../background/outbox.ts'
import type { EventDraft, Tx } from '../../db/sql.ts'
import {
  type IssueActivity,
  insertIssueThreads,
  insertTransferThreads,
  lockIssueThreads,
} from './notification-store.ts'

const kinds = { issue: 'notice.issue', transfer: 'notice.transfer' } as const

const StoredTransfer = v.object({ repository: v.number() })

const Stored = v.object({
  issue: v.number(),
  actor: v.number(),
  audience: v.boolean(),
  names: v.array(v.string()),
  accounts: v.array(v.number()),
})

/**
 * Queues notifications about an issue for when the transaction commits; the consumer determines the recipients later.
 */
export async function emitIssueActivity(tx: Tx, activity: IssueActivity): Promise<void> {
  await tx.emitAll(issueActivityEvents(activity))
}

/** The event that `emitIssueActivity` emits; none where nobody is to be told. */
export function issueActivityEvents(activity: IssueActivity): EventDraft[] {
  if (!activity.audience && activity.names.length === 0 && activity.accounts.length === 0) return []
  return [{ kind: kinds.issue, payload: activity }]
}

/**
 * Queues notifications about a repository transfer offer, for those who may accept it, for when the transaction
 * commits.
 */
export async function emitTransferOffer(tx: Tx, repository: number): Promise<void> {
  await tx.emit(kinds.transfer, { repository })
}

/** Creates the notification threads: one statement per event, regardless of the number of recipients. */
export const notificationConsumer: Consumer = async (sql, events, now) => {
  const payloadsOf = (kind: string) =>
    events.filter((event) => event.kind === kind).map(({ payload }) => payload)
  const activities = payloadsOf(kinds.issue).map((payload) => v.parse(Stored, payload))
  const issues = [...new Set(activities.map(({ issue }) => issue))]
  // A single issue needs no separate lock: its statement locks the threads in order.
  if (issues.length > 1) await lockIssueThreads(sql, issues)
  for (const activity of activities) await insertIssueThreads(sql, activity, now)
  for (const payload of payloadsOf(kinds.transfer)) {
    await insertTransferThreads(sql, v.parse(StoredTransfer, payload).repository, now)
  }
}
