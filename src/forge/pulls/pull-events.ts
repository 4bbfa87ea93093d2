import { type DomainEvent, type EventOf, emitEvents } from '../../background/domain-events.ts'
import type { Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import type { Account } from '../accounts/account-store.ts'
import { printUser } from '../accounts/user.shape.ts'
import type { GitService } from '../git-service.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { type Repository, repositoryById } from '../repos/repo-store.ts'
import type { PullRequest } from './pull.shape.ts'
import { pullById } from './pull-store.ts'
import { type PrintContext, printedPulls } from './pull-view.ts'

type PullEvent = EventOf<'pull.changed'>

/** One event of a pull request; an edit that changes several things emits several. */
export type PullChange = Pick<
  PullEvent,
  'action' | 'changes' | 'before' | 'after' | 'review' | 'requested_reviewer'
>

/** Who changes a pull request, and what printing it takes. */
export type PullEventContext = Omit<PrintContext, 'sql' | 'caller'> & {
  caller: PrintContext['caller'] & Pick<SignedInOnRepository, 'me'>
}

/** Emits events of a pull request in its current state. @throws Problem 404 */
export async function emitPullEvents(
  tx: Tx,
  context: PullEventContext,
  id: number,
  events: readonly PullChange[],
): Promise<void> {
  if (events.length === 0) return
  const { caller, from } = context
  const [pull_request, stored] = await Promise.all([
    pullForEvent(tx, context, id),
    repositoryById(tx, caller.repo.id),
  ])
  const row = found(stored)
  const { me, subject: owner, repo } = caller
  const shared = {
    location: { repository: row.id, owner: owner.id },
    pull_request,
    repository: printRepository(row, owner, { host: from.host, level: repo.level, known: false }),
    sender: printUser(me, undefined, from.host),
  }
  await emitEvents(
    tx,
    events.map((event): DomainEvent => ({ kind: 'pull.changed', ...event, ...shared })),
  )
}

/** A pull request as its events describe it. @throws Problem 404 */
export async function pullForEvent(tx: Tx, context: PullEventContext, id: number): Promise<PullRequest> {
  const row = found(await pullById(tx, id))
  const [printed] = await printedPulls({ ...context, sql: tx }, [row], { isForEvent: true })
  return found(printed)
}

/** A change by an account that is not the caller of a request: by a push, or after a crash. */
export const actingAs = (
  { sender, owner, base }: { sender: Account; owner: Account; base: Pick<Repository, 'id' | 'name'> },
  { gitService, host }: { gitService: GitService; host: string },
): PullEventContext => ({
  caller: {
    me: sender,
    token: undefined,
    subject: owner,
    repo: { id: base.id, name: base.name, level: LEVELS.owner },
  },
  tools: { gitService },
  from: { host },
})
