import type { StartingEvent } from '../../../actions/trigger/consumer.ts'
import type { DomainEvent, EventOf } from '../../../background/domain-events.ts'
import { isZeroId } from '../../../git/program/names.ts'
import { commentMessage, issueMessage } from './issues.ts'
import {
  createMessage,
  deleteMessage,
  forkMessage,
  type HookMessage,
  packageMessage,
  payloadCommit,
  pushMessage,
  type RefMessage,
  releaseMessage,
  repositoryMessage,
  statusMessage,
} from './payload.ts'
import { pullMessage, pullWorkflowMessages } from './pulls.ts'

/** The kinds of events that webhooks are sent for. */
export const hookedKinds = [
  'ref.updated',
  'repository.changed',
  'repository.forked',
  'package.changed',
  'issue.changed',
  'pull.changed',
  'comment.changed',
  'commit_status.created',
  'release.changed',
  'workflow_job.changed',
  'workflow_run.changed',
] as const satisfies readonly DomainEvent['kind'][]
type HookedEvent = EventOf<(typeof hookedKinds)[number]>

/** The messages that webhooks get for an event, in order. */
export function messagesOf(event: HookedEvent): readonly HookMessage[] {
  switch (event.kind) {
    case 'ref.updated':
      return refMessages(event)
    case 'repository.changed':
      return [repositoryMessage(event.action, event)]
    case 'repository.forked':
      return [forkMessage(event)]
    case 'package.changed':
      return [packageMessage(event.action, event)]
    case 'issue.changed':
      return [issueMessage(event.action, event)]
    case 'pull.changed':
      return [pullMessage(event)]
    case 'comment.changed':
      return [commentMessage(event.action, event)]
    case 'commit_status.created':
      return [statusMessage(event)]
    case 'release.changed':
      return [releaseMessage(event)]
    case 'workflow_job.changed': {
      const { action, job, ...context } = event
      return [{ event: 'workflow_job', payload: { action, workflow_job: job, ...contextOf(context) } }]
    }
    case 'workflow_run.changed':
      return [runMessage(event)]
  }
}

/** The events that a workflow sees for an event that starts it, in order: the name, and `github.event`. */
export function workflowMessages(event: StartingEvent) {
  switch (event.kind) {
    case 'ref.updated':
      return refMessages(event)
    case 'release.changed':
      return [releaseMessage(event)]
    case 'issue.changed':
      // Webhooks know four names of events of issues, workflows one.
      return [{ event: 'issues' as const, payload: issueMessage(event.action, event).payload }]
    case 'pull.changed':
      return pullWorkflowMessages(event)
    case 'comment.changed': {
      const { payload } = commentMessage(event.action, event)
      const onPull = payload.is_pull ? [{ event: 'pull_request_comment' as const, payload }] : []
      return [{ event: 'issue_comment' as const, payload }, ...onPull]
    }
    case 'workflow_run.changed':
      return [runMessage(event)]
  }
}

/** The order is Gitea's: first a branch is created, then pushed to; for a tag it is the reverse. */
function refMessages(event: EventOf<'ref.updated'>): readonly RefMessage[] {
  const { ref, before, after, repository, sender, root, was_empty } = event
  const isTag = ref.startsWith('refs/tags/')
  const printed = (commit: (typeof event.commits)[number]) => payloadCommit(commit, repository.html_url)
  const commits = event.commits.map(printed)
  const [head = event.head && printed(event.head)] = commits
  const push = pushMessage({
    ref,
    before,
    after,
    root,
    repository,
    sender,
    commits: isTag ? [] : commits,
    total: isTag ? 0 : event.total,
    head: head ?? null,
    base: event.base,
    first: was_empty,
  })
  // In these two messages the repository has no permissions, whoever the sender is.
  const publicRepository = { ...repository, permissions: { admin: false, push: false, pull: false } }
  if (isZeroId(after)) {
    const deleted = deleteMessage({ ref, repository: publicRepository, sender })
    return isTag ? [push, deleted] : [deleted]
  }
  // A tag that moves is created anew.
  if (!isTag && !isZeroId(before)) return [push]
  const created = createMessage({ ref, sha: after, repository: publicRepository, sender })
  return isTag ? [push, created] : [created, push]
}

function runMessage({ action, workflow, run, ...context }: EventOf<'workflow_run.changed'>) {
  const payload = { action, workflow, workflow_run: run, ...contextOf(context) }
  return { event: 'workflow_run' as const, payload }
}

/** Only repositories of organizations have the member `organization`. */
function contextOf({
  organization,
  repository,
  sender,
}: Pick<EventOf<'workflow_job.changed'>, 'organization' | 'repository' | 'sender'>) {
  return { ...(organization && { organization }), repository, sender }
}
