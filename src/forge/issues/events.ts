import type { Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import type { Origin } from '../../http/server/origin.ts'
import { accountsByIds } from '../accounts/account.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { repositoryById } from '../repos/repo-store.ts'
import { printUser } from '../users/user.shape.ts'
import { emitHook } from '../webhooks/events.ts'
import {
  type Changes,
  type CommentAction,
  commentMessage,
  type IssueAction,
  issueMessage,
} from '../webhooks/payload/issues.ts'
import type { StoredComment } from './comment-store.ts'
import { type People, printComment, printIssue } from './issue.shape.ts'
import type { StoredIssue } from './issue-store.ts'

/** Who does something in a tracker. */
export interface TrackerContext {
  caller: SignedInOnRepository
  from: Origin
}

/** What happened; several things that an edit did to one issue are told one by one. */
export interface IssueNews {
  action: IssueAction
  changes?: Changes
}

/** Tells the hooks what happened to an issue, which is given as it is now. */
export async function tellOfIssue(
  tx: Tx,
  ask: TrackerContext,
  issue: StoredIssue,
  news: readonly IssueNews[],
): Promise<void> {
  if (news.length === 0) return
  const { repository, sender, place, sight } = await factsOf(tx, ask)
  const printed = printIssue(issue, await peopleIn(tx, [issue]), sight)
  for (const { action, ...changed } of news)
    await emitHook(tx, issueMessage(action, { issue: printed, ...changed, repository, sender }), place)
}

/** Tells the hooks what happened to a comment. */
export async function tellOfComment(
  tx: Tx,
  ask: TrackerContext,
  issue: StoredIssue,
  comment: StoredComment,
  { action, changes }: { action: CommentAction; changes?: Changes },
): Promise<void> {
  const { repository, sender, place, sight } = await factsOf(tx, ask)
  const people = await peopleIn(tx, [issue, comment])
  const message = commentMessage(action, {
    issue: printIssue(issue, people, sight),
    comment: printComment(comment, people, sight),
    ...(changes && { changes }),
    repository,
    sender,
  })
  await emitHook(tx, message, place)
}

/** The accounts that some issues and comments name. */
export async function peopleIn(
  sql: Parameters<typeof accountsByIds>[0],
  rows: readonly { poster_id: number | null; assignees?: readonly number[] }[],
): Promise<People> {
  const ids = rows.flatMap(({ poster_id, assignees = [] }) => [poster_id ?? [], assignees].flat())
  const accounts = await accountsByIds(sql, [...new Set(ids)])
  return new Map(accounts.map((account) => [account.id, account]))
}

/** The repository is read anew: its count of open issues may just have changed. As strangers see all of it. */
async function factsOf(tx: Tx, { caller, from }: TrackerContext) {
  const { me, subject: owner, repo } = caller
  const { host } = from
  const row = found(await repositoryById(tx, repo.id))
  return {
    repository: printRepository(row, owner, { host, level: repo.level, known: false }),
    sender: printUser(me, undefined, host),
    place: { repository: row.id, owner: owner.id },
    sight: { owner, repo: row, viewer: undefined, host },
  }
}
