/** What events say was done, as webhooks name it. Here because the declarations of all events fill their file. */

/** Changes of issues. */
export const issueActions = [
  'opened',
  'edited',
  'closed',
  'reopened',
  'assigned',
  'unassigned',
  'label_updated',
  'label_cleared',
  'milestoned',
  'demilestoned',
  'deleted',
] as const
export const commentActions = ['created', 'edited', 'deleted'] as const

/** Changes of pull requests: those of issues, and these. */
export const pullActions = [
  ...issueActions,
  'synchronized',
  'reviewed',
  'review_requested',
  'review_request_removed',
] as const

/** Reviews of pull requests, by the names of their webhooks. */
export const reviewTypes = [
  'pull_request_review_approved',
  'pull_request_review_rejected',
  'pull_request_review_comment',
] as const
