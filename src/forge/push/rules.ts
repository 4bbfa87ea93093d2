import { randomUUID } from 'node:crypto'
import type { Begin } from '../../db/sql.ts'
import type { PushRules, RefUpdate } from '../../git/http/http.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { Account } from '../accounts/account.ts'
import type { OnRepository } from '../repos/access.ts'
import { problemOf } from '../repos/git-service.ts'
import { toolsFor } from '../route.ts'
import { ARCHIVED, type GitRequest, refusalOfMove } from './current-repository.ts'
import { deletePush, insertPush } from './journal.ts'
import { applyEdit, editOf, isEdit, type PushEdit, refusalOfEdit } from './options.ts'
import { type KnownCommits, publishPush } from './push.ts'
import { repairPush } from './recovery.ts'

/** An incoming push. */
interface IncomingPush extends GitRequest {
  begin: Begin
  caller: OnRepository
  /** The request, and the base URL of links. */
  from: Origin
  now: Date
  known?: KnownCommits
}

/** Decides which pushes to a repository are refused, and publishes the others. */
export function pushRules(incoming: IncomingPush): PushRules {
  const { sql, begin, caller, row, known } = incoming
  const { host } = incoming.from
  const tools = toolsFor(incoming.from, incoming.tools)
  const { me: sender, subject: owner } = caller
  if (!sender) return { check: () => 'sign in to push' }
  const push = randomUUID()
  let edit: PushEdit = {}
  return {
    check: (updates, options) => {
      const wanted = editOf(options)
      if (typeof wanted === 'string') return wanted
      edit = wanted
      const refusal = row.is_archived ? ARCHIVED : refusalOfEdit(edit, caller.repo.level)
      return refusal ?? insertIntoJournal(incoming, { push, sender }, updates)
    },
    mayMove: () =>
      refusalOfMove(incoming, async (level) => {
        const refusal = refusalOfEdit(edit, level)
        if (refusal !== undefined || !isEdit(edit)) return refusal
        const actor = { caller: { ...caller, me: sender }, from: incoming.from }
        await applyEdit({ begin, actor, repository: row.id, owner }, edit)
        return undefined
      }),
    updated: (updates, isReportedByGit) =>
      publishPush(
        {
          sql,
          begin,
          tools,
          push,
          repository: row.id,
          owner,
          sender,
          host,
          isOver: true,
          isReportedByGit,
          known,
        },
        updates,
      ),
    untouched: () => deletePush(sql, { push, repository_id: row.id }),
  }
}

/**
 * Inserts a push into the journal. First publishes earlier pushes that have moved one of its refs: once this push moves
 * the ref on, the disk no longer proves them. While the recovery after a restart runs, it also publishes all recovered
 * pushes of this repository, so that its pushes are published in order.
 * @throws Problem 503 while git is busy
 */
async function insertIntoJournal(
  { sql, begin, tools, from, row, now }: IncomingPush,
  { push, sender }: { push: string; sender: Account },
  updates: readonly RefUpdate[],
): Promise<string | undefined> {
  const leftBefore = tools.pushRecovery.before ?? null
  const draft = { push, repository: row.id, account: sender.id, updates, now, requestId: from.id, leftBefore }
  // The first transaction confirms the caller, so it must come before the refs move, not when they are published.
  const earlier = await begin((tx) => insertPush(tx, draft))
  if (!earlier) return 'the repository has gone'
  for (const entry of earlier) {
    const result = await repairPush({ sql, begin, tools }, entry)
    if (!result.ok) throw problemOf(result.fault)
  }
  return undefined
}
