import type {
  Changes,
  CommentFacts,
  IssueFacts,
  PullFacts,
  RepositoryFacts,
  UserFacts,
} from '../../../background/domain-events.ts'
import type { commentActions, issueActions } from '../../../background/event-actions.ts'

type IssueEventName = 'issues' | 'issue_assign' | 'issue_label' | 'issue_milestone'
export type IssueAction = (typeof issueActions)[number]
export type CommentAction = (typeof commentActions)[number]

/** Events about issues, with their payloads. */
export type IssueMessage = ReturnType<typeof issueMessage | typeof commentMessage>

interface Facts {
  issue: IssueFacts
  changes?: Changes
  /** The commit that closes the issue. */
  commit_id?: string
  repository: RepositoryFacts
  sender: UserFacts
}

/** An event about an issue; the members in the order in which they are sent. */
export function issueMessage(action: IssueAction, facts: Facts) {
  const { issue, changes, commit_id = '', repository, sender } = facts
  const changed = changes && { changes }
  const payload = {
    action,
    number: issue.number,
    ...changed,
    issue,
    repository,
    sender,
    commit_id,
  }
  return { event: eventOf(action), payload }
}

/** An event about a comment on an issue or pull request. */
export function commentMessage(
  action: CommentAction,
  {
    issue,
    pull_request,
    comment,
    changes,
    repository,
    sender,
  }: Facts & { comment: CommentFacts; pull_request?: PullFacts },
) {
  const changed = changes && { changes }
  const pull = pull_request && { pull_request }
  const is_pull = pull_request !== undefined
  const payload = { action, issue, ...pull, comment, ...changed, repository, sender, is_pull }
  return { event: is_pull ? ('pull_request_comment' as const) : ('issue_comment' as const), payload }
}

function eventOf(action: IssueAction): IssueEventName {
  if (action === 'assigned' || action === 'unassigned') return 'issue_assign'
  if (action === 'milestoned' || action === 'demilestoned') return 'issue_milestone'
  return action === 'label_updated' || action === 'label_cleared' ? 'issue_label' : 'issues'
}

/** A sentence for chats, and the URL that it links to. */
export function issueSentence(message: IssueMessage): { text: string; url: string } {
  const { issue, repository, sender } = message.payload
  const title = issue.title.replace(/\s+/g, ' ')
  const sentence = (what: string) => `${repository.full_name}: ${what} by ${sender.login}: ${title}`
  if ('comment' in message.payload) {
    const { action, comment } = message.payload
    const url = action === 'deleted' ? issue.html_url : comment.html_url
    return { text: sentence(`comment on issue ${issue.number} ${action}`), url }
  }
  return { text: sentence(`issue ${issue.number} ${pastTense[message.payload.action]}`), url: issue.html_url }
}

export const pastTense: Readonly<Record<IssueAction, string>> = {
  opened: 'opened',
  edited: 'edited',
  closed: 'closed',
  reopened: 'reopened',
  assigned: 'assigned',
  unassigned: 'unassigned',
  label_updated: 'labelled',
  label_cleared: 'freed of its labels',
  milestoned: 'added to a milestone',
  demilestoned: 'removed from its milestone',
  deleted: 'deleted',
}
