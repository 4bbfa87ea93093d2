import { type Changes, type DomainEvent, emitEvents } from '../../background/domain-events.ts'
import type { Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { printUser } from '../accounts/user.shape.ts'
import { emitPullEvents, type PullEventContext, pullForEvent } from '../pulls/pull-events.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { type Repository, repositoryById } from '../repos/repo-store.ts'
import type { ForgeContext } from '../route.ts'
import type { CommentAction, IssueAction } from '../webhooks/payload/issues.ts'
import type { StoredComment } from './comment-store.ts'
import { type People, printComment, printIssue } from './issue.shape.ts'
import type { StoredIssue } from './issue-store.ts'
import { peopleIn } from './people.ts'

export type TrackerContext = ForgeContext<SignedInOnRepository>

/** What emitting the events of an issue takes: less than a request. */
export type EventContext = PullEventContext

/** An issue of the caller's repository as the target of an audit event. */
export const issueTarget = ({ caller }: TrackerContext, { id, number }: { id: number; number: number }) => ({
  kind: 'issue',
  id,
  name: `${caller.subject.name}/${caller.repo.name}#${number}`,
})

/** One event of an issue; an edit that changes several things emits several. */
export interface IssueEvent {
  action: IssueAction
  changes?: Changes
  /** The commit that closes it. */
  commit_id?: string
}

/** Emits events of an issue; `issue` is its new state. */
export async function emitIssueEvents(
  tx: Tx,
  context: EventContext,
  issue: StoredIssue,
  events: readonly IssueEvent[],
): Promise<void> {
  if (events.length === 0) return
  if (issue.is_pull) return emitPullEvents(tx, context, issue.id, events)
  const [row, people] = [await readRepository(tx, context), await peopleIn(tx, [issue])]
  await emitEvents(tx, issueEvents(context, { row, issue, people }, events))
}

/**
 * The events that `emitIssueEvents` emits; `row` is the repository, and `people` the accounts that the issue refers to.
 */
export function issueEvents(
  context: EventContext,
  { row, issue, people }: { row: Repository; issue: StoredIssue; people: People },
  events: readonly IssueEvent[],
): DomainEvent[] {
  const { repository, sender, location, view } = eventContext(row, context)
  const printed = printIssue(issue, people, view)
  return events.map(({ action, ...changed }) => {
    return { kind: 'issue.changed', location, action, issue: printed, ...changed, repository, sender }
  })
}

/** Emits an event of a comment. */
export async function emitCommentEvent(
  tx: Tx,
  context: TrackerContext,
  issue: StoredIssue,
  comment: StoredComment,
  { action, changes }: { action: CommentAction; changes?: Changes },
): Promise<void> {
  const { repository, sender, location, view } = eventContext(await readRepository(tx, context), context)
  const people = await peopleIn(tx, [issue, comment])
  const pull = issue.is_pull ? await pullForEvent(tx, context, issue.id) : undefined
  await emitEvents(tx, [
    {
      kind: 'comment.changed',
      location,
      action,
      issue: printIssue(issue, people, view),
      ...(pull && { pull_request: pull }),
      comment: printComment(comment, people, view),
      ...(changes && { changes }),
      repository,
      sender,
    },
  ])
}

/** Reads the repository again: its count of open issues may just have changed. */
async function readRepository(tx: Tx, { caller }: Pick<EventContext, 'caller'>): Promise<Repository> {
  return found(await repositoryById(tx, caller.repo.id))
}

/** What all events of a tracker describe. Users print as anonymous callers see them. */
function eventContext(row: Repository, { caller, from }: EventContext) {
  const { me, subject: owner, repo } = caller
  const { host } = from
  return {
    repository: printRepository(row, owner, { host, level: repo.level, known: false }),
    sender: printUser(me, undefined, host),
    location: { repository: row.id, owner: owner.id },
    view: { owner, repo: row, viewer: undefined, host },
  }
}
