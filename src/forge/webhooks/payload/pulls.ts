import type { EventOf } from '../../../background/domain-events.ts'
import type { pullActions, reviewTypes } from '../../../background/event-actions.ts'
import { isDraft } from '../../protocol/draft-title.ts'
import { pastTense } from './issues.ts'

type PullAction = (typeof pullActions)[number]

type PullEventName =
  | 'pull_request'
  | 'pull_request_assign'
  | 'pull_request_label'
  | 'pull_request_milestone'
  | 'pull_request_sync'
  | 'pull_request_review_request'
  | (typeof reviewTypes)[number]

/** Events about pull requests, with their payloads. */
export type PullMessage = ReturnType<typeof pullMessage>

/** An event about a pull request; the members in the order in which they are sent. */
export function pullMessage(facts: Omit<EventOf<'pull.changed'>, 'kind' | 'location'>) {
  const { action, before, after, changes, pull_request, repository, sender } = facts
  const { review = null, requested_reviewer = null } = facts
  const payload = {
    action,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    number: pull_request.number,
    ...(changes && { changes }),
    pull_request,
    requested_reviewer,
    repository,
    sender,
    commit_id: '' as const,
    review,
  }
  return { event: review?.type ?? eventOf(action), payload }
}

/** What workflows see of an event about a pull request: two names for changes, and for reviews others. */
export function pullWorkflowMessages(facts: Parameters<typeof pullMessage>[0]) {
  const { payload } = pullMessage(facts)
  const reviewed = { event: 'pull_request_review' as const, payload }
  if (facts.review?.type === 'pull_request_review_comment')
    return [reviewed, { event: facts.review.type, payload }]
  if (facts.review) return [reviewed]
  const draftAction = draftActionOf(facts)
  const payloads = [payload, ...(draftAction === undefined ? [] : [{ ...payload, action: draftAction }])]
  return payloads.flatMap((each) => [
    { event: 'pull_request' as const, payload: each },
    { event: 'pull_request_target' as const, payload: each },
  ])
}

/** Whether a new title makes the pull request a draft, or ends that: workflows have names of their own for it. */
function draftActionOf({
  changes,
  pull_request,
}: Parameters<typeof pullMessage>[0]): 'ready_for_review' | 'converted_to_draft' | undefined {
  const before = changes?.title
  if (before === undefined || isDraft({ title: before.from }) === isDraft(pull_request)) return undefined
  return isDraft(pull_request) ? 'converted_to_draft' : 'ready_for_review'
}

function eventOf(action: PullAction): PullEventName {
  if (action === 'review_requested' || action === 'review_request_removed')
    return 'pull_request_review_request'
  if (action === 'synchronized') return 'pull_request_sync'
  if (action === 'assigned' || action === 'unassigned') return 'pull_request_assign'
  if (action === 'milestoned' || action === 'demilestoned') return 'pull_request_milestone'
  return action === 'label_updated' || action === 'label_cleared' ? 'pull_request_label' : 'pull_request'
}

/** Tells events of pull requests from those of issues and comments. */
export const isPullMessage = <Other extends { payload: object }>(
  message: PullMessage | Other,
): message is PullMessage => 'review' in message.payload

/** A sentence for chats, and the URL that it links to. */
export function pullSentence({ payload }: PullMessage): { text: string; url: string } {
  const { action, pull_request: pull, repository, sender } = payload
  const what = { ...pastTense, ...ofPulls }[action]
  const title = pull.title.replace(/\s+/g, ' ')
  return {
    text: `${repository.full_name}: pull request ${pull.number} ${what} by ${sender.login}: ${title}`,
    url: pull.html_url,
  }
}

const ofPulls = {
  synchronized: 'updated',
  reviewed: 'reviewed',
  review_requested: 'given a reviewer',
  review_request_removed: 'freed of a reviewer',
} as const
