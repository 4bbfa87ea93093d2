import * as v from 'valibot'
import type { Sql } from '../../db/sql.ts'
import { lockIssue } from '../../forge/issues/issue-store.ts'
import type { StoredPull } from '../../forge/pulls/pull-store.ts'
import { deletePullReviewComment } from '../../forge/pulls/reviews/comment-changes.ts'
import {
  repoCreatePullReviewCommentReply,
  repoResolvePullReviewComment,
  repoUnresolvePullReviewComment,
} from '../../forge/pulls/reviews/conversations.ts'
import { PullReview, PullReviewComment } from '../../forge/pulls/reviews/review.shape.ts'
import { commentsOfReviews } from '../../forge/pulls/reviews/review-comment-store.ts'
import { draftOf } from '../../forge/pulls/reviews/review-store.ts'
import { repoCreatePullReview, repoDeletePullReview } from '../../forge/pulls/reviews/reviews.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { badRequest } from '../../http/route/problem.ts'
import { type Fields, unknownAction } from '../form.ts'
import { withQuery } from '../html.ts'
import { askedToTick } from '../issues/ticking.ts'
import type { Asked } from '../operations/form.ts'
import type { OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { lineNamed } from './line-form.ts'
import { editOfReviewText, reviewTextOf } from './review-text.ts'

interface Place {
  caller: SignedInOnRepository & OnRequest
  sql: Sql
  pull: StoredPull
  /** The parameters of the operations. */
  params: { owner: string; repo: string; index: number }
  /** The path of the page to which a form leads back, without what follows. */
  back: string
}

type Action = (fields: Fields, place: Place) => Asked | Refusal | Promise<Asked | Refusal>

/** What a form about reviews asks for. @throws Problem 400 an unknown action */
export function askedOfReviews(
  { caller, sql, pull }: Pick<Place, 'caller' | 'sql' | 'pull'>,
  fields: Fields,
): Asked | Refusal | Promise<Asked | Refusal> {
  const { name, owner } = caller.repo
  const [, action] = Object.entries(actions).find(([each]) => each === fields.action) ?? []
  if (!action) throw unknownAction()
  const params = { owner: owner.name, repo: name, index: pull.number }
  const page = `${owner.name}/${name}/pulls/${pull.number}`
  const back = fields.from === '' ? page : withQuery(`${page}/files`, placeIn(fields))
  return action(fields, { caller, sql, pull, params, back })
}

/** What names the part of the files that a page shows, in the fields of its forms. */
export const placeIn = ({ page = '', whitespace = '', only = '' }: Fields) => ({ page, whitespace, only })

const blame = { body: /\bbody\b|requires a/i }

const actions: Readonly<Record<string, Action>> = {
  comment: commentOnLine,
  reply: ({ comment = '', body = '' }, { params, back }) => ({
    calls: [[repoCreatePullReviewCommentReply, { params: { ...params, id: comment }, body: { body } }]],
    isAtomic: true,
    leadsTo: ([made]) => `${back}#issuecomment-${v.parse(PullReviewComment, made).id}`,
    blame,
  }),
  resolve: ({ comment = '' }, { params, back }) => ({
    calls: [[repoResolvePullReviewComment, { params: { ...params, id: comment } }]],
    leadsTo: `${back}#thread-${Number(comment)}`,
  }),
  unresolve: ({ comment = '' }, { params, back }) => ({
    calls: [[repoUnresolvePullReviewComment, { params: { ...params, id: comment } }]],
    leadsTo: `${back}#thread-${Number(comment)}`,
  }),
  tick: (fields, { caller, pull, back }) => {
    const { comment: id = '' } = fields
    const index = String(pull.number)
    return askedToTick(caller, fields, {
      read: async (sql) => {
        const { body } = await reviewTextOf(sql, caller, { index, id })
        return { body, page: `${back}#issuecomment-${Number(id)}` }
      },
      lock: (tx) => lockIssue(tx, caller.repo.id, pull.number),
      call: (body) => editOfReviewText(caller, id, body),
    })
  },
  'delete-comment': ({ comment = '' }, { params, back }) => ({
    calls: [[deletePullReviewComment, { params: { ...params, id: comment } }]],
    leadsTo: back,
  }),
  review: ({ event = '', body = '', commit = '' }, { params, back }) => ({
    calls: [[repoCreatePullReview, { params, body: { event: decisionIn(event), body, commit_id: commit } }]],
    isAtomic: true,
    leadsTo: `${back}#review`,
    blame,
  }),
  'delete-review': ({ review = '' }, { params, back }) => ({
    calls: [[repoDeletePullReview, { params: { ...params, id: review } }]],
    leadsTo: `${back}#review`,
  }),
}

/** @throws Problem 400 */
function decisionIn(event: string): string {
  if (event === 'COMMENT' || event === 'APPROVED' || event === 'REQUEST_CHANGES') return event
  throw unknownAction()
}

/** A comment of its own, or one that waits in the review that the caller has begun. */
async function commentOnLine(
  { path = '', at = '', body = '', commit = '', previous = '', event }: Fields,
  { caller, sql, pull, params, back }: Place,
): Promise<Asked | Refusal> {
  const line = lineNamed(path, at)
  if (!line) throw badRequest('the form names no line')
  const isPending = event === 'PENDING'
  if (!isPending && (await draftOf(sql, pull.id, caller.me.id)))
    return { sentence: 'You have begun a review: add the comment to it, or send the review first.' }
  const position = line.isOld ? { old_position: line.line } : { new_position: line.line }
  const comments = [{ path: line.isOld && previous !== '' ? previous : path, body, ...position }]
  const review = { event: isPending ? 'PENDING' : 'COMMENT', commit_id: commit, comments }
  return {
    calls: [[repoCreatePullReview, { params, body: review }]],
    isAtomic: true,
    leadsTo: async ([made], within) => {
      const reviews = [v.parse(PullReview, made).id]
      const all = await commentsOfReviews(within, { account: caller.me.id, reviews }, 1000)
      const newest = Math.max(...all.map(({ id }) => id))
      return `${back}#issuecomment-${newest}`
    },
    blame: { body: /\bbody\b|\bcomment\b/i },
  }
}
