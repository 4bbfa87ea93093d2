import * as v from 'valibot'
import { eventShapes } from '../../../background/domain-events.ts'
import { commentActions, issueActions } from '../../../background/event-actions.ts'
import type { HookMessage, PayloadCommit } from './payload.ts'

const person = v.object({ name: v.string(), email: v.string(), username: v.string() })
const paths = v.array(v.string())

/** A commit in a payload. */
export const commit: v.GenericSchema<PayloadCommit> = v.object({
  id: v.string(),
  message: v.string(),
  url: v.string(),
  author: person,
  committer: person,
  verification: v.null(),
  timestamp: v.string(),
  added: paths,
  removed: paths,
  modified: paths,
})

const { Repository: repository, User: user, Issue: issue } = eventShapes
const action = v.picklist(['created', 'deleted'])
const refType = v.picklist(['branch', 'tag'])

const push = v.object({
  ref: v.string(),
  before: v.string(),
  after: v.string(),
  compare_url: v.string(),
  commits: v.array(commit),
  total_commits: v.number(),
  head_commit: v.nullable(commit),
  repository,
  pusher: user,
  sender: user,
})

const packagePayload = v.object({
  action,
  repository: v.null(),
  package: eventShapes.Package,
  organization: v.nullable(eventShapes.Organization),
  sender: user,
})

const status = v.object({
  commit: v.nullable(commit),
  context: v.string(),
  created_at: v.string(),
  description: v.string(),
  id: v.number(),
  repository,
  sender: user,
  sha: v.string(),
  state: v.string(),
  target_url: v.string(),
  updated_at: v.string(),
})

const changes = v.exactOptional(eventShapes.Changes)

const releasePayload = v.object({
  action: v.picklist(['published', 'updated', 'deleted']),
  release: eventShapes.Release,
  repository,
  sender: user,
})

const issuePayload = v.object({
  action: v.picklist(issueActions),
  number: v.number(),
  changes,
  issue,
  repository,
  sender: user,
  commit_id: v.literal(''),
})

const commentPayload = v.object({
  action: v.picklist(commentActions),
  issue,
  comment: eventShapes.Comment,
  changes,
  repository,
  sender: user,
  is_pull: v.literal(false),
})

const message: v.GenericSchema<unknown, HookMessage> = v.variant('event', [
  v.object({
    event: v.literal('repository'),
    payload: v.object({ action, repository, organization: user, sender: user }),
  }),
  v.object({
    event: v.literal('create'),
    payload: v.object({ sha: v.string(), ref: v.string(), ref_type: refType, repository, sender: user }),
  }),
  v.object({
    event: v.literal('delete'),
    payload: v.object({
      ref: v.string(),
      ref_type: refType,
      pusher_type: v.literal('user'),
      repository,
      sender: user,
    }),
  }),
  v.object({ event: v.literal('push'), payload: push }),
  v.object({ event: v.literal('package'), payload: packagePayload }),
  v.object({ event: v.literal('status'), payload: status }),
  v.object({
    event: v.picklist(['issues', 'issue_assign', 'issue_label', 'issue_milestone']),
    payload: issuePayload,
  }),
  v.object({ event: v.literal('release'), payload: releasePayload }),
  v.object({ event: v.literal('issue_comment'), payload: commentPayload }),
])

/**
 * Reads a payload that the release before has queued (`earlier-events.ts`); undefined for events that have no chat
 * text.
 */
export function readMessage(event: string, payload: unknown): HookMessage | undefined {
  const read = v.safeParse(message, { event, payload })
  return read.success ? read.output : undefined
}
