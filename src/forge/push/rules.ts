import { randomUUID } from 'node:crypto'
import type { Begin, Sql, Tx } from '../../db/sql.ts'
import type { PushRules, RefUpdate } from '../../git/http/http.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import { isNotesRef, isZeroId } from '../../git/program/names.ts'
import { withReceived } from '../../git/repository/received.ts'
import { listRefs } from '../../git/repository/refs.ts'
import { found } from '../../http/route/problem.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { Account } from '../accounts/account-store.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { maintainedBranches } from '../permissions/maintainer-store.ts'
import { refusalByRules } from '../protection/refusal.ts'
import type { OnRepository } from '../repos/access.ts'
import { gitValue } from '../repos/code.ts'
import { folderOf, type Repository } from '../repos/repo-store.ts'
import { toolsFor } from '../route.ts'
import { ARCHIVED, type GitRequest, refusalOfMove } from './current-repository.ts'
import { deletePush, insertPush } from './journal-store.ts'
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
  /** See `PushContext`. */
  written?: number | undefined
  /** Decides at the moment of the move, instead of the rules of protected branches and tags. */
  refusal?: Refusal
  /** Stores what the move completes, in the transaction that writes the journal. @throws Problem then nothing moves */
  announce?: (tx: Tx) => Promise<void>
}

/** Why refs must not move now; undefined if they may. `level`: current access level of the caller. */
export type Refusal = (now: { row: Repository; level: number }) => Promise<string | undefined>

/** Decides whether to refuse a push to a repository, and publishes it otherwise. */
export function pushRules(incoming: IncomingPush): PushRules {
  const { sql, begin, caller, row, known, written } = incoming
  const { host } = incoming.from
  const tools = toolsFor(incoming.from, incoming.tools)
  const { me: sender, subject: owner } = caller
  if (!sender) return { check: () => 'sign in to push' }
  const push = randomUUID()
  const by = { caller: { ...caller, me: sender }, from: incoming.from }
  let edit: PushEdit = {}
  let pushed: readonly RefUpdate[] = []
  return {
    check: (updates, options) => {
      pushed = updates
      const requested = editOf(options)
      if (typeof requested === 'string') return requested
      edit = requested
      const refusal = row.is_archived ? ARCHIVED : refusalOfEdit(edit, caller.repo.level)
      return refusal ?? insertIntoJournal(incoming, { push, sender }, updates)
    },
    mayMove: (received) =>
      refusalOfMove(incoming, async (now) => {
        const decide = incoming.refusal ?? refusalOf(incoming, sender, pushed, received)
        const refusal = refusalOfEdit(edit, now.level) ?? (await decide(now))
        if (refusal !== undefined || !isEdit(edit)) return refusal
        await applyEdit({ begin, actor: by, repository: row.id, owner }, edit)
        return undefined
      }),
    updated: (updates, isReportedByGit) => {
      const accounts = { repository: row.id, owner, sender, by, host }
      const state = { push, isOver: true, isReportedByGit, known, written }
      return publishPush({ sql, begin, tools, ...accounts, ...state }, updates)
    },
    untouched: () => deletePush(sql, { push, repository_id: row.id }),
  }
}

/** Applies the rules of protected branches and tags to a push. `received`: see `MayMove`. */
const refusalOf =
  (
    { sql, from, tools, caller }: IncomingPush,
    { id }: Account,
    updates: readonly RefUpdate[],
    received: Readonly<Record<string, string>>,
  ): Refusal =>
  async ({ row, level }) => {
    const { repositories } = toolsFor(from, tools).gitService
    const isDeployKey = caller.via === 'deploy key'
    const repository = withReceived(found(repositories.open(folderOf(row))), received)
    return (
      (level < LEVELS.write ? await refusalOfMaintainer(sql, { row, account: id }, updates) : undefined) ??
      (await refusalOfNotes(repository, updates)) ??
      (await refusalByRules({ sql, repository, row, account: id, isDeployKey }, updates))
    )
  }

/** Why somebody who may not write to a repository may not move these refs; undefined: a maintainer may. */
async function refusalOfMaintainer(
  sql: Sql,
  { row, account }: { row: Repository; account: number },
  updates: readonly RefUpdate[],
): Promise<string | undefined> {
  const branches = await maintainedBranches(sql, { repository: row.id, account })
  const refs = new Set(branches.map(({ branch }) => `refs/heads/${branch}`))
  const refused = updates.find(({ ref, after }) => !refs.has(ref) || isZeroId(after))
  return (
    refused &&
    `you may not ${isZeroId(refused.after) ? 'delete' : 'push to'} ${refused.ref} of this repository`
  )
}

/** Maximum refs of notes in a repository: release tools make one for each release, and no page or list shows them in parts. */
const maxNotesRefs = 1000

/** Why notes may not be created; undefined if they may. @throws Problem for faults of git */
async function refusalOfNotes(
  repository: OpenRepository,
  updates: readonly RefUpdate[],
): Promise<string | undefined> {
  const notes = updates.filter(({ ref }) => isNotesRef(ref))
  const created = notes.filter(({ before }) => isZeroId(before)).length
  if (created === 0) return undefined
  const deleted = notes.filter(({ after }) => isZeroId(after)).length
  const { length } = gitValue(await listRefs(repository, ['refs/notes']))
  return length + created - deleted > maxNotesRefs
    ? `a repository can have ${maxNotesRefs} refs of notes; delete some of its ${length}`
    : undefined
}

/**
 * Inserts a push into the journal. First publishes earlier pushes that have moved one of its refs: once this push moves
 * the ref on, the disk no longer proves them. While the recovery after a restart runs, it also publishes all recovered
 * pushes of this repository, so that its pushes are published in order.
 * @throws Problem 503 while git is busy
 */
async function insertIntoJournal(
  { sql, begin, tools, from, row, now, announce }: IncomingPush,
  { push, sender }: { push: string; sender: Account },
  updates: readonly RefUpdate[],
): Promise<string | undefined> {
  const leftBefore = tools.pushRecovery.before ?? null
  const draft = { push, repository: row.id, account: sender.id, updates, now, requestId: from.id, leftBefore }
  // The first transaction confirms the caller, so it must run before the refs move, not when the push is published.
  const earlier = await begin(async (tx) => {
    await announce?.(tx)
    return insertPush(tx, draft)
  })
  if (!earlier) return 'the repository has gone'
  for (const entry of earlier) gitValue(await repairPush({ sql, begin, tools }, entry))
  return undefined
}
