import { BODY_MAX } from '../../issues/issue.option.ts'
import { describedField, flag, integer, option, optionalObjects, text, texts } from '../../protocol/fields.ts'
import { maxSize, oneOf, required } from '../../protocol/rules.ts'

const PATH_MAX = 4096
const body = () => describedField(text(maxSize(BODY_MAX)), 'Markdown')
const event = () =>
  describedField(
    text(oneOf(['', 'PENDING', 'APPROVED', 'REQUEST_CHANGES', 'COMMENT'])),
    '`PENDING` or empty: a draft, which is submitted later',
  )

/** CreatePullReviewComment of the original. */
const CreatePullReviewComment = option('CreatePullReviewComment', {
  path: text(required, maxSize(PATH_MAX)),
  body: describedField(text(required, maxSize(BODY_MAX)), 'Markdown'),
  old_position: describedField(integer(), 'The line of the file before the change; 0: it is in the new file'),
  new_position: describedField(integer(), 'The line of the file after the change; 0: it is in the old file'),
})

/** CreatePullReviewOptions of the original. */
export const CreatePullReviewOptions = option('CreatePullReviewOptions', {
  event: event(),
  body: body(),
  commit_id: describedField(text(), 'The commit that was read; empty: the newest one of the pull request'),
  comments: describedField(optionalObjects(CreatePullReviewComment), 'Comments on lines'),
})

/** SubmitPullReviewOptions of the original. */
export const SubmitPullReviewOptions = option('SubmitPullReviewOptions', { event: event(), body: body() })

/** CreatePullReviewCommentReplyOptions of the original. */
export const CreatePullReviewCommentReplyOptions = option('CreatePullReviewCommentReplyOptions', {
  body: describedField(text(required, maxSize(BODY_MAX)), 'Markdown'),
})

/** The new text of a comment on a line. */
export const EditPullReviewCommentOptions = option('EditPullReviewCommentOptions', {
  body: describedField(text(required, maxSize(BODY_MAX)), 'Markdown'),
})

/** DismissPullReviewOptions of the original. */
export const DismissPullReviewOptions = option('DismissPullReviewOptions', {
  message: describedField(text(maxSize(BODY_MAX)), 'Why it does not count'),
  priors: describedField(flag(), 'Whether the earlier reviews of the same account are dismissed, too'),
})

/** PullReviewRequestOptions of the original. */
export const PullReviewRequestOptions = option('PullReviewRequestOptions', {
  reviewers: describedField(texts(), 'Names of users'),
  team_reviewers: describedField(texts(), 'Names of teams of the organization that owns the repository'),
})
