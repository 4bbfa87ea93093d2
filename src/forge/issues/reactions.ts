import * as v from 'valibot'
import type { Sql } from '../../db/sql.ts'
import { type Page, type Paging, pageQuery } from '../../http/route/page.ts'
import { forbidden, found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { accountsByIds } from '../accounts/account.ts'
import { inRepo, nameParam, numberIn, onIssue } from '../protocol/query.ts'
import type { OnRepository, SignedInOnRepository } from '../repos/access.ts'
import { route } from '../route.ts'
import { issueSubscriber, issuesSeen } from './access.ts'
import { commentById } from './comment-store.ts'
import { issueByNumber } from './issue-store.ts'
import { EditReactionOption, printReaction, REACTIONS, Reaction } from './reaction.shape.ts'
import { deleteReaction, insertReaction, pageOfReactions, type Subject } from './reaction-store.ts'

/** Reactions to issues and comments. Nobody is notified of them, and no webhook hears of them. */

const onComment = { ...inRepo, id: nameParam }

/** Clients of the original ask for no pages: without a page it sends all reactions. */
const listing = {
  access: issuesSeen(),
  query: pageQuery(500, 500),
  returns: [200, v.array(Reaction)],
  sends: 'page',
} as const

const adding = {
  access: issueSubscriber(),
  body: EditReactionOption,
  returns: [201, Reaction],
  also: [200],
} as const

const removing = { access: issueSubscriber(), body: EditReactionOption, returns: [200] } as const

const listOfIssue = route(
  'GET /repos/{owner}/{repo}/issues/{index}/reactions',
  { ...listing, summary: 'Reactions to an issue, the oldest first', params: onIssue },
  async (ask) => pageOf(ask, await issueIn(ask)),
)

const addToIssue = route(
  'POST /repos/{owner}/{repo}/issues/{index}/reactions',
  { ...adding, summary: 'React to an issue; 200 when the caller has done so before', params: onIssue },
  async (ask) => react(ask, await issueIn(ask)),
)

const removeFromIssue = route(
  'DELETE /repos/{owner}/{repo}/issues/{index}/reactions',
  { ...removing, summary: 'Take back a reaction to an issue', params: onIssue },
  async (ask) => takeBack(ask, await issueIn(ask)),
)

const listOfComment = route(
  'GET /repos/{owner}/{repo}/issues/comments/{id}/reactions',
  { ...listing, summary: 'Reactions to a comment, the oldest first', params: onComment },
  async (ask) => pageOf(ask, await commentIn(ask)),
)

const addToComment = route(
  'POST /repos/{owner}/{repo}/issues/comments/{id}/reactions',
  { ...adding, summary: 'React to a comment; 200 when the caller has done so before', params: onComment },
  async (ask) => react(ask, await commentIn(ask)),
)

const removeFromComment = route(
  'DELETE /repos/{owner}/{repo}/issues/comments/{id}/reactions',
  { ...removing, summary: 'Take back a reaction to a comment', params: onComment },
  async (ask) => takeBack(ask, await commentIn(ask)),
)

export const reactionRoutes = [
  listOfIssue,
  addToIssue,
  removeFromIssue,
  listOfComment,
  addToComment,
  removeFromComment,
]

interface OnTracker {
  caller: OnRepository
  sql: Sql
}

/** @throws Problem 404 */
async function issueIn({ caller, sql, params }: OnTracker & { params: { index: string } }): Promise<Subject> {
  return { issue: found(await issueByNumber(sql, caller.repo.id, numberIn(params.index))).id }
}

/** @throws Problem 404 */
async function commentIn({ caller, sql, params }: OnTracker & { params: { id: string } }): Promise<Subject> {
  return { comment: found(await commentById(sql, caller.repo.id, numberIn(params.id))).id }
}

async function pageOf(
  { caller, sql, query, from }: OnTracker & { query: Paging; from: { host: string } },
  subject: Subject,
): Promise<Page<Reaction>> {
  const page = await pageOfReactions(sql, subject, query)
  const accounts = await accountsByIds(sql, [...new Set(page.rows.map(({ account_id }) => account_id))])
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const sight = { viewer: caller.me, host: from.host }
  return { ...page, rows: page.rows.map((row) => printReaction(row, byId.get(row.account_id), sight)) }
}

interface ReactionContext {
  caller: SignedInOnRepository
  body: v.InferOutput<typeof EditReactionOption>
  sql: Sql
  now: Date
  from: { host: string }
}

/** @throws Problem 403 no reaction that there is */
async function react(ask: ReactionContext, subject: Subject): Promise<ReplyWith<Reaction>> {
  const { body, sql, now, from } = ask
  const { me } = ask.caller
  const { content } = body
  if (!REACTIONS.some((known) => known === content))
    throw forbidden(`'${content}' is not an allowed reaction`)
  const reaction = await insertReaction(sql, subject, { account: me.id, content, now })
  const printed = printReaction(reaction, me, { viewer: me, host: from.host })
  return new ReplyWith(printed, reaction.is_new ? {} : { status: 200 })
}

function takeBack({ body, caller, sql }: ReactionContext, subject: Subject): Promise<void> {
  return deleteReaction(sql, subject, { account: caller.me.id, content: body.content })
}
