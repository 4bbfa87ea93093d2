import type * as v from 'valibot'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { pageQuery } from '../../http/route/page.ts'
import { forbidden, found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { json, noBody, paged } from '../../http/route/sends.ts'
import { numberIn, numberParam, onIssue } from '../protocol/query.ts'
import type { OnRepository, SignedInOnRepository } from '../repos/access.ts'
import { issueSubscriber, issuesSeen, requireUnlocked } from '../repos/issue-access.ts'
import { type ForgeContext, route } from '../route.ts'
import { commentById } from './comment-store.ts'
import { EditReactionOption } from './issue.option.ts'
import { issueIn } from './issue-view.ts'
import { peopleIn } from './people.ts'
import { printReaction, REACTIONS, Reaction } from './reaction.shape.ts'
import {
  deleteReaction,
  insertReaction,
  isOfLockedIssue,
  pageOfReactions,
  type Subject,
} from './reaction-store.ts'

/** Reactions to issues and comments. They cause no notifications and no webhook events. */

const onComment = { id: numberParam }

/** Gitea sends all reactions unless the client requests a page, and its clients request none. */
const listing = {
  access: issuesSeen(),
  query: pageQuery(500, 500),
  returns: paged(Reaction),
  shared: 'until written',
} as const

const adding = {
  access: issueSubscriber(),
  body: EditReactionOption,
  returns: json(201, Reaction),
  also: [200],
} as const

const removing = { access: issueSubscriber(), body: EditReactionOption, returns: noBody(200) } as const

export const issueGetIssueReactions = route('GET /repos/{owner}/{repo}/issues/{index}/reactions', {
  ...listing,
  summary: 'Reactions to an issue, the oldest first',
  params: onIssue,
  handler: async (context) => pageOf(context, { issue: (await issueIn(context)).id }),
})

export const issuePostIssueReaction = route('POST /repos/{owner}/{repo}/issues/{index}/reactions', {
  ...adding,
  summary: 'React to an issue; 200 when the caller has done so before',
  params: onIssue,
  handler: async (context) => react(context, { issue: (await issueIn(context)).id }),
})

export const issueDeleteIssueReaction = route('DELETE /repos/{owner}/{repo}/issues/{index}/reactions', {
  ...removing,
  summary: 'Remove a reaction to an issue',
  params: onIssue,
  handler: async (context) => removeReaction(context, { issue: (await issueIn(context)).id }),
})

export const issueGetCommentReactions = route('GET /repos/{owner}/{repo}/issues/comments/{id}/reactions', {
  ...listing,
  summary: 'Reactions to a comment, the oldest first',
  params: onComment,
  handler: async (context) => pageOf(context, await commentIn(context)),
})

export const issuePostCommentReaction = route('POST /repos/{owner}/{repo}/issues/comments/{id}/reactions', {
  ...adding,
  summary: 'React to a comment; 200 when the caller has done so before',
  params: onComment,
  handler: async (context) => react(context, await commentIn(context)),
})

export const issueDeleteCommentReaction = route(
  'DELETE /repos/{owner}/{repo}/issues/comments/{id}/reactions',
  {
    ...removing,
    summary: 'Remove a reaction to a comment',
    params: onComment,
    handler: async (context) => removeReaction(context, await commentIn(context)),
  },
)

/** @throws Problem 404 */
async function commentIn({
  caller,
  sql,
  params,
}: ForgeContext<OnRepository, { params: { id: string } }>): Promise<Subject> {
  return { comment: found(await commentById(sql, caller.repo.id, numberIn(params.id))).id }
}

async function pageOf(
  { caller, sql, query, from }: ForgeContext<OnRepository, { query: Paging }>,
  subject: Subject,
): Promise<Page<Reaction>> {
  const page = await pageOfReactions(sql, subject, query)
  const people = await peopleIn(
    sql,
    page.rows.map(({ account_id }) => ({ poster_id: account_id })),
  )
  const view = { viewer: caller.me, host: from.host }
  return mapPage(page, (row) => printReaction(row, people.get(row.account_id), view))
}

type ReactionContext = ForgeContext<SignedInOnRepository, { body: v.InferOutput<typeof EditReactionOption> }>

/** @throws Problem 403 the reaction is not an allowed one, or the issue is locked */
async function react(context: ReactionContext, subject: Subject): Promise<ReplyWith<Reaction>> {
  const { body, begin, from } = context
  const { me } = context.caller
  const { content } = body
  if (!REACTIONS.some((allowed) => allowed === content))
    throw forbidden(`'${content}' is not an allowed reaction`)
  const reaction = await begin(async (tx) => {
    requireUnlocked(context.caller, await isOfLockedIssue(tx, subject))
    return insertReaction(tx, subject, { account: me.id, content })
  })
  const printed = printReaction(reaction, me, { viewer: me, host: from.host })
  return new ReplyWith(printed, reaction.is_new ? {} : { status: 200 })
}

/** @throws Problem 403 the issue is locked */
function removeReaction({ body, caller, begin }: ReactionContext, subject: Subject): Promise<void> {
  return begin(async (tx) => {
    requireUnlocked(caller, await isOfLockedIssue(tx, subject))
    await deleteReaction(tx, subject, { account: caller.me.id, content: body.content })
  })
}
