import * as v from 'valibot'
import { pageQuery } from '../../../http/route/page.ts'
import { found } from '../../../http/route/problem.ts'
import { json, noBody, paged } from '../../../http/route/sends.ts'
import { numberIn, numberParam, onIssue } from '../../protocol/query.ts'
import { route } from '../../route.ts'
import { pullAuthor, pullsSeen } from '../access.ts'
import { pullByNumber } from '../pull-store.ts'
import { removeReview } from './removal.ts'
import { CreatePullReviewOptions, SubmitPullReviewOptions } from './review.option.ts'
import { PullReview, PullReviewComment } from './review.shape.ts'
import { commentsOfReview } from './review-comment-store.ts'
import { pageOfReviews } from './review-store.ts'
import {
  draftReader,
  printedReview,
  printedReviewComments,
  printedReviews,
  reviewSeen,
} from './review-view.ts'
import { submitReview } from './submission.ts'

/** Reviews of pull requests. */

const onReview = { ...onIssue, id: numberParam }

export const repoListPullReviews = route('GET /repos/{owner}/{repo}/pulls/{index}/reviews', {
  summary: 'Reviews of a pull request and requests for them, the oldest first',
  access: pullsSeen(),
  params: onIssue,
  query: pageQuery(),
  fails: [404],
  returns: paged(PullReview),
  shared: 'until written',
  handler: async (context) => {
    const { caller, params, query, sql } = context
    const pull = found(await pullByNumber(sql, caller.repo.id, numberIn(params.index)))
    const page = await pageOfReviews(sql, pull.id, draftReader(caller), query)
    return { ...page, rows: await printedReviews(context, pull.number, page.rows) }
  },
})

export const repoCreatePullReview = route('POST /repos/{owner}/{repo}/pulls/{index}/reviews', {
  summary: 'Review a pull request, or add to the draft of a review',
  access: pullAuthor(),
  params: onIssue,
  body: CreatePullReviewOptions,
  fails: [403, 404, 422],
  returns: json(200, PullReview),
  runsGit: true,
  handler: async (context) => {
    const number = numberIn(context.params.index)
    const review = await submitReview(context, number, { ...context.body, draft: undefined })
    return printedReview(context, number, review)
  },
})

export const repoGetPullReview = route('GET /repos/{owner}/{repo}/pulls/{index}/reviews/{id}', {
  summary: 'A review of a pull request',
  access: pullsSeen(),
  params: onReview,
  fails: [404],
  returns: json(200, PullReview),
  handler: async (context) => {
    const { review, number } = await reviewSeen(context)
    return printedReview(context, number, review)
  },
})

export const repoSubmitPullReview = route('POST /repos/{owner}/{repo}/pulls/{index}/reviews/{id}', {
  summary: 'Submit the draft of a review',
  access: pullAuthor(),
  params: onReview,
  body: SubmitPullReviewOptions,
  fails: [403, 404, 422],
  returns: json(200, PullReview),
  runsGit: true,
  handler: async (context) => {
    const { body } = context
    const { review, number } = await reviewSeen(context)
    const input = { ...body, commit_id: '', comments: [], draft: review.id }
    return printedReview(context, number, await submitReview(context, number, input))
  },
})

export const repoDeletePullReview = route('DELETE /repos/{owner}/{repo}/pulls/{index}/reviews/{id}', {
  summary: 'Delete a review with its comments',
  access: pullAuthor(),
  params: onReview,
  fails: [403, 404, 422],
  returns: noBody(204),
  handler: removeReview,
})

export const repoGetPullReviewComments = route(
  'GET /repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments',
  {
    summary: 'Comments of a review on lines, by path and line',
    access: pullsSeen(),
    params: onReview,
    fails: [404],
    returns: json(200, v.array(PullReviewComment)),
    handler: async (context) => {
      const { review, number } = await reviewSeen(context)
      return printedReviewComments(context, number, await commentsOfReview(context.sql, review.id))
    },
  },
)
