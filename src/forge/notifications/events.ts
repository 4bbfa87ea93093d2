import * as v from 'valibot'
import type { Consumer } from '../../background/outbox.ts'
import type { Tx } from '../../db/sql.ts'
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

/** Tells accounts of an issue, if the transaction commits; who they are is found out after that. */
export async function emitIssueActivity(tx: Tx, notice: IssueActivity): Promise<void> {
  if (!notice.audience && notice.names.length === 0 && notice.accounts.length === 0) return
  await tx.emit(kinds.issue, notice)
}

/** Tells those who may say yes or no to the offer of a repository, if the transaction commits. */
export async function emitTransferOffer(tx: Tx, repository: number): Promise<void> {
  await tx.emit(kinds.transfer, { repository })
}

/** Makes threads of notices: one statement each, however many accounts hear of it. */
export const notificationConsumer: Consumer = async (sql, events, now) => {
  const of = (kind: string) => events.filter((event) => event.kind === kind).map(({ payload }) => payload)
  const notices = of(kinds.issue).map((payload) => v.parse(Stored, payload))
  const issues = [...new Set(notices.map(({ issue }) => issue))]
  // Of one issue the statement takes them in their order itself.
  if (issues.length > 1) await lockIssueThreads(sql, issues)
  for (const notice of notices) await insertIssueThreads(sql, notice, now)
  for (const payload of of(kinds.transfer)) {
    await insertTransferThreads(sql, v.parse(StoredTransfer, payload).repository, now)
  }
}
