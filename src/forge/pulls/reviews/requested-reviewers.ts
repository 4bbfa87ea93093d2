import * as v from 'valibot'
import { json, noBody } from '../../../http/route/sends.ts'
import { numberIn, onIssue } from '../../protocol/query.ts'
import { route } from '../../route.ts'
import { pullAuthor } from '../access.ts'
import { askForReviews, withdrawRequests } from './requests.ts'
import { PullReviewRequestOptions } from './review.option.ts'
import { PullReview } from './review.shape.ts'
import { reviewsByIds } from './review-store.ts'
import { printedReviews } from './review-view.ts'

/** Who is asked to review a pull request. */

const asking = {
  access: pullAuthor(),
  params: onIssue,
  body: PullReviewRequestOptions,
  fails: [403, 404, 422],
} as const

export const repoCreatePullReviewRequests = route(
  'POST /repos/{owner}/{repo}/pulls/{index}/requested_reviewers',
  {
    ...asking,
    summary: 'Ask users and teams for a review; who is asked already is not asked again',
    returns: json(201, v.array(PullReview)),
    handler: async (context) => {
      const number = numberIn(context.params.index)
      const ids = await askForReviews(context, number)
      return printedReviews(context, number, await reviewsByIds(context.sql, ids))
    },
  },
)

export const repoDeletePullReviewRequests = route(
  'DELETE /repos/{owner}/{repo}/pulls/{index}/requested_reviewers',
  {
    ...asking,
    summary: 'Withdraw requests for reviews; who is not asked is left out',
    returns: noBody(204),
    handler: (context) => withdrawRequests(context, numberIn(context.params.index)),
  },
)
