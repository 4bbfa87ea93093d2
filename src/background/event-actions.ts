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
] as const
export const commentActions = ['created', 'edited', 'deleted'] as const

/** Changes of pull requests: those of issues, and these. */
export const pullActions = [...issueActions, 'synchronized'] as const
