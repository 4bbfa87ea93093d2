import type { RepositoryFacts, UserFacts } from './subjects.ts'

/** What the text of an issue's replies must hold for us; whatever else it holds is sent along. */
export interface IssueFacts {
  readonly number: number
  readonly title: string
  readonly html_url: string
}

export interface CommentFacts {
  readonly html_url: string
  readonly body: string
}

/** What an edit has replaced. */
export interface Changes {
  readonly title?: { readonly from: string }
  readonly body?: { readonly from: string }
}

/** What can happen to an issue, by the event that hooks hear it as. */
export const issueActions = {
  issues: ['opened', 'edited', 'closed', 'reopened'],
  issue_assign: ['assigned', 'unassigned'],
  issue_label: ['label_updated', 'label_cleared'],
} as const
export type IssueEvent = keyof typeof issueActions
export type IssueAction = (typeof issueActions)[IssueEvent][number]

export interface IssuePayload {
  readonly action: IssueAction
  readonly number: number
  /** Of an edit. */
  readonly changes?: Changes
  readonly issue: IssueFacts
  readonly repository: RepositoryFacts
  readonly sender: UserFacts
  /** Of a commit that closes an issue; always empty here. */
  readonly commit_id: ''
}

export const commentActions = ['created', 'edited', 'deleted'] as const
export type CommentAction = (typeof commentActions)[number]

export interface IssueCommentPayload {
  readonly action: CommentAction
  readonly issue: IssueFacts
  readonly comment: CommentFacts
  readonly changes?: Changes
  readonly repository: RepositoryFacts
  readonly sender: UserFacts
  readonly is_pull: false
}

/** Events about issues, with their payloads. */
export type IssueMessage =
  | { readonly event: IssueEvent; readonly payload: IssuePayload }
  | { readonly event: 'issue_comment'; readonly payload: IssueCommentPayload }

interface Facts {
  issue: IssueFacts
  changes?: Changes
  repository: RepositoryFacts
  sender: UserFacts
}

/** Something happened to an issue; the keys in the order in which they are sent. */
export function issueMessage(action: IssueAction, facts: Facts): IssueMessage {
  const { issue, changes, repository, sender } = facts
  const changed = changes && { changes }
  const payload = {
    action,
    number: issue.number,
    ...changed,
    issue,
    repository,
    sender,
    commit_id: '',
  } as const
  return { event: eventOf(action), payload }
}

/** Something happened to a comment on an issue. */
export function commentMessage(
  action: CommentAction,
  { issue, comment, changes, repository, sender }: Facts & { comment: CommentFacts },
): IssueMessage {
  const changed = changes && { changes }
  const payload = { action, issue, comment, ...changed, repository, sender, is_pull: false } as const
  return { event: 'issue_comment', payload }
}

function eventOf(action: IssueAction): IssueEvent {
  if (action === 'assigned' || action === 'unassigned') return 'issue_assign'
  return action === 'label_updated' || action === 'label_cleared' ? 'issue_label' : 'issues'
}

/** A sentence for chats, and where it leads. */
export function issueWords(message: IssueMessage): { text: string; url: string } {
  const { issue, repository, sender } = message.payload
  const title = issue.title.replace(/\s+/g, ' ')
  const said = (what: string) => `${repository.full_name}: ${what} by ${sender.login}: ${title}`
  if (message.event === 'issue_comment') {
    const { action, comment } = message.payload
    const url = action === 'deleted' ? issue.html_url : comment.html_url
    return { text: said(`comment on issue ${issue.number} ${action}`), url }
  }
  return { text: said(`issue ${issue.number} ${done[message.payload.action]}`), url: issue.html_url }
}

const done: Readonly<Record<IssueAction, string>> = {
  opened: 'opened',
  edited: 'edited',
  closed: 'closed',
  reopened: 'reopened',
  assigned: 'assigned',
  unassigned: 'unassigned',
  label_updated: 'labelled',
  label_cleared: 'freed of its labels',
}
