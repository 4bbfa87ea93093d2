import * as v from 'valibot'
import type { Consumer } from '../background/outbox.ts'
import type { Tx } from '../db/sql.ts'
import { insertIssueThreads, insertTransferThreads } from './notification-store.ts'

/** Something happened to an issue that accounts are to take notice of; ids, and names in lower case. */
export interface IssueNotice {
  issue: number
  /** Who did it, and so knows of it. */
  doer: number
  /** Whether whoever watches or takes part is told. */
  audience: boolean
  /** Who was addressed by name. */
  names: readonly string[]
  /** Whom it concerns besides. */
  accounts: readonly number[]
}

const kinds = { issue: 'notice.issue', transfer: 'notice.transfer' } as const

const StoredTransfer = v.object({ repository: v.number() })

const Stored = v.object({
  issue: v.number(),
  doer: v.number(),
  audience: v.boolean(),
  names: v.array(v.string()),
  accounts: v.array(v.number()),
})

/** Tells accounts of an issue, if the transaction commits; who they are is found out after that. */
export async function emitIssueNotice(tx: Tx, notice: IssueNotice): Promise<void> {
  if (!notice.audience && notice.names.length === 0 && notice.accounts.length === 0) return
  await tx.emit(kinds.issue, notice)
}

/** Tells those who may say yes or no to the offer of a repository, if the transaction commits. */
export async function emitTransferNotice(tx: Tx, repository: number): Promise<void> {
  await tx.emit(kinds.transfer, { repository })
}

/** Makes threads of notices: one statement each, however many accounts hear of it. */
export const noticeConsumer: Consumer = async (sql, events, now) => {
  for (const event of events) {
    if (event.kind === kinds.issue) await insertIssueThreads(sql, v.parse(Stored, event.payload), now)
    if (event.kind === kinds.transfer) {
      const { repository } = v.parse(StoredTransfer, event.payload)
      await insertTransferThreads(sql, repository, now)
    }
  }
}
