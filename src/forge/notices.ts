import * as v from 'valibot'
import type { Consumer } from '../background/outbox.ts'
import type { Tx } from '../db/sql.ts'
import { insertIssueThreads } from './notification-store.ts'

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

const kind = 'notice.issue'

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
  await tx.emit(kind, notice)
}

/** Makes threads of notices: one statement each, however many accounts hear of it. */
export const noticeConsumer: Consumer = async (sql, events, now) => {
  for (const event of events) {
    if (event.kind === kind) await insertIssueThreads(sql, v.parse(Stored, event.payload), now)
  }
}
