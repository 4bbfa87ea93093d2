import { randomUUID } from 'node:crypto'
import type { Begin, Sql } from '../../db/sql.ts'
import type { PushRules, RefUpdate } from '../../git/http/http.ts'
import type { Account } from '../accounts/account.ts'
import type { OnRepository } from '../repos/access.ts'
import { problemOf } from '../repos/git-service.ts'
import type { Repository } from '../repos/repo-store.ts'
import type { ForgeTools } from '../route.ts'
import { deletePush, insertPush } from './journal.ts'
import { pushed } from './push.ts'
import { repairPush } from './recovery.ts'

/** A push that has come. */
export interface Pusher {
  sql: Sql
  begin: Begin
  tools: ForgeTools
  caller: OnRepository
  /** Root of links. */
  host: string
  row: Repository
  now: Date
}

/** The sentence that git prints when it would push to an archived repository. */
export const ARCHIVED = 'this repository is archived and can only be read'

/** Which pushes to a repository are refused, and what follows from the others. */
export function pushRules(pusher: Pusher): PushRules {
  const { sql, begin, tools, caller, host, row } = pusher
  const { me: sender, subject: owner } = caller
  if (!sender) return { check: () => 'sign in to push' }
  const push = randomUUID()
  return {
    check: (updates) => (row.is_archived ? ARCHIVED : enter(pusher, { push, sender }, updates)),
    updated: (updates, isSaid) =>
      pushed(
        { sql, begin, tools, push, repository: row.id, owner, sender, host, isOver: true, isSaid },
        updates,
      ),
    untouched: () => deletePush(sql, { push, repository_id: row.id }),
  }
}

/**
 * Writes a push into the journal. Where an earlier one has brought a ref and was not told of, that is told of first: when
 * this one has moved the ref on, nothing on the disk shows it any more. While what a crash left is told beside, so is all
 * of it that belongs to this repository, so that its pushes are told in their order.
 * @throws Problem 503 while git is busy
 */
async function enter(
  { sql, begin, tools, row, now }: Pusher,
  { push, sender }: { push: string; sender: Account },
  updates: readonly RefUpdate[],
): Promise<string | undefined> {
  const leftBefore = tools.pushRecovery.before ?? null
  const draft = { push, repository: row.id, account: sender.id, updates, now, leftBefore }
  const earlier = await insertPush(sql, draft)
  if (!earlier) return 'the repository has gone'
  for (const entry of earlier) {
    const repaired = await repairPush({ sql, begin, tools }, entry)
    if (!repaired.ok) throw problemOf(repaired.fault)
  }
  return undefined
}
