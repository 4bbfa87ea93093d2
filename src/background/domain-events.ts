import * as v from 'valibot'
import type { StoredEvent } from '../db/outbox-events.ts'
import type { EventDraft, Tx } from '../db/sql.ts'
import { commentActions, issueActions, pullActions, reviewTypes } from './event-actions.ts'

/**
 * All events of the outbox, for the code that emits and the code that consumes them. An event says what happened; each
 * consumer decides what follows (docs/events.md), such as messages of webhooks (forge/webhooks/payload/messages.ts).
 */

/**
 * A thing as the API printed it when the event happened: the row may have changed or be deleted when the event is
 * dispatched, and has columns that must not be sent. The schema declares the members that are read; the value retains all
 * others, in their order.
 */
const printed = <Read extends object>(members: v.GenericSchema<Read>) =>
  v.custom<Read>((value) => v.is(members, value))

const Repository = v.object({ full_name: v.string(), html_url: v.string(), clone_url: v.string() })
const User = v.object({
  login: v.string(),
  full_name: v.string(),
  avatar_url: v.string(),
  html_url: v.string(),
})
const Issue = v.object({ number: v.number(), title: v.string(), html_url: v.string() })
const Side = v.object({ ref: v.string(), sha: v.string(), repo_id: v.number() })
/** The members of a pull request that are read of events. */
export const Pull = v.object({
  ...Issue.entries,
  base: Side,
  head: Side,
  merge_base: v.string(),
  merge_commit_sha: v.nullable(v.string()),
})
const Comment = v.object({ html_url: v.string(), body: v.string() })
const Package = v.object({
  name: v.string(),
  version: v.string(),
  type: v.string(),
  html_url: v.string(),
  owner: User,
})
const Organization = v.object({ name: v.string() })
const releaseMembers = { tag_name: v.string(), name: v.string(), html_url: v.string() }
const Release = v.object({ ...releaseMembers, id: v.number(), prerelease: v.boolean() })
const Previous = v.exactOptional(v.object({ from: v.string() }))
const Changes = v.object({ title: Previous, body: Previous })

export type RepositoryFacts = Readonly<v.InferOutput<typeof Repository>>
/** A user or organization. */
export type UserFacts = Readonly<v.InferOutput<typeof User>>
export type IssueFacts = Readonly<v.InferOutput<typeof Issue>>
export type PullFacts = Readonly<v.InferOutput<typeof Pull>>
export type CommentFacts = Readonly<v.InferOutput<typeof Comment>>
export type PackageFacts = Readonly<v.InferOutput<typeof Package>>
/** The previous values that an edit replaced. */
export type Changes = Readonly<v.InferOutput<typeof Changes>>

/** Ids of the repository and of the account that owns it. */
const inRepository = { location: v.object({ repository: v.number(), owner: v.number() }) }
const onRepository = { ...inRepository, repository: printed(Repository), sender: printed(User) }
/** With the account that did it, which workflows run for. */
const byActor = { ...onRepository, sender: printed(v.object({ ...User.entries, id: v.number() })) }

const person = { name: v.string(), email: v.string(), username: v.exactOptional(v.string()) }
const paths = v.array(v.string())
/** Events that an earlier release has stored lack `username` and the author's `at`. */
const PushedCommit = v.object({
  id: v.string(),
  message: v.string(),
  author: v.object({ ...person, at: v.exactOptional(v.string()) }),
  committer: v.object({ ...person, at: v.string() }),
  added: paths,
  removed: paths,
  modified: paths,
})

const RefUpdated = v.object({
  kind: v.literal('ref.updated'),
  ...onRepository,
  /** The account that pushed. */
  actor: v.number(),
  /** The full name. */
  ref: v.string(),
  /** Object ids; all zeros for a ref that was created or deleted. */
  before: v.string(),
  after: v.string(),
  /** The newest of the added commits, newest first; for a tag, its commit. `head`: that of the ref, if it is none of them. */
  commits: v.array(PushedCommit),
  head: v.exactOptional(PushedCommit),
  /** Of a new branch: the default branch, if that is another one. */
  base: v.exactOptional(v.string()),
  /** How many commits were added. */
  total: v.number(),
  /** Whether the repository was empty before. */
  was_empty: v.boolean(),
  /** The public address of the site. */
  root: v.string(),
})

const lifecycle = v.picklist(['created', 'deleted'])

const RepositoryChanged = v.object({
  kind: v.literal('repository.changed'),
  ...onRepository,
  action: lifecycle,
  owner: printed(User),
})

/** A fork of the repository of the location was made. */
const RepositoryForked = v.object({
  kind: v.literal('repository.forked'),
  ...inRepository,
  /** The repository of the location. */
  parent: printed(Repository),
  /** The fork. */
  repository: printed(Repository),
  sender: printed(User),
})

const PackageChanged = v.object({
  kind: v.literal('package.changed'),
  /** Packages belong to no repository. */
  location: v.object({ repository: v.null(), owner: v.number() }),
  action: lifecycle,
  package: printed(Package),
  /** The owner, if it is an organization. */
  organization: v.nullable(printed(Organization)),
  sender: printed(User),
})

const IssueChanged = v.object({
  kind: v.literal('issue.changed'),
  ...byActor,
  action: v.picklist(issueActions),
  changes: v.exactOptional(printed(Changes)),
  /** The commit that closes it; absent: a person does. */
  commit_id: v.exactOptional(v.string()),
  issue: printed(Issue),
})

const PullChanged = v.object({
  kind: v.literal('pull.changed'),
  ...byActor,
  action: v.picklist(pullActions),
  changes: v.exactOptional(printed(v.object({ ...Changes.entries, ref: Previous }))),
  /** Of a push: the heads before and after it. */
  before: v.exactOptional(v.string()),
  after: v.exactOptional(v.string()),
  /** Of a review, with its text. */
  review: v.exactOptional(v.object({ type: v.picklist(reviewTypes), content: v.string() })),
  /** Who is asked for a review, or has made it; absent also if a team is asked. */
  requested_reviewer: v.exactOptional(printed(User)),
  pull_request: printed(Pull),
})

const CommentChanged = v.object({
  kind: v.literal('comment.changed'),
  ...byActor,
  action: v.picklist(commentActions),
  changes: v.exactOptional(printed(Changes)),
  issue: printed(Issue),
  /** Absent: the issue is none. */
  pull_request: v.exactOptional(printed(Pull)),
  comment: printed(Comment),
})

const CommitStatusCreated = v.object({
  kind: v.literal('commit_status.created'),
  ...onRepository,
  /** As a push prints it; null if the repository no longer contains it. */
  commit: v.nullable(printed(v.object({ id: v.string() }))),
  status: v.object({
    id: v.number(),
    commit_sha: v.string(),
    context: v.string(),
    state: v.string(),
    description: v.string(),
    target_url: v.string(),
    created_at: v.string(),
    updated_at: v.string(),
  }),
})

const ReleaseChanged = v.object({
  kind: v.literal('release.changed'),
  ...onRepository,
  /** The account that did it. */
  actor: v.number(),
  action: v.picklist(['published', 'updated', 'deleted']),
  /** That of its tag; null if the release was deleted. */
  commit: v.nullable(v.string()),
  release: printed(Release),
})

const Status = v.string()

/** Jobs were created or changed their status. The triggers `action_job_told_insert` and `action_job_told_update` emit it. */
const JobsChanged = v.object({
  kind: v.literal('jobs.changed'),
  jobs: v.array(v.object({ id: v.number(), status: Status })),
})

/** A run was created or changed its status. The triggers `action_run_told_insert` and `action_run_told_update` emit it. */
const RunChanged = v.object({
  kind: v.literal('run.changed'),
  run: v.number(),
  attempt: v.number(),
  status: Status,
  at: v.string(),
})

const anything = printed(v.object({}))
const inWorkflow = { ...byActor, organization: v.exactOptional(anything) }

/** Follows from `jobs.changed` where webhooks subscribe to it. */
const WorkflowJobChanged = v.object({
  kind: v.literal('workflow_job.changed'),
  ...inWorkflow,
  action: v.string(),
  job: anything,
})

/** Follows from `run.changed` where webhooks subscribe to it or workflows wait for it. */
const WorkflowRunChanged = v.object({
  kind: v.literal('workflow_run.changed'),
  ...inWorkflow,
  action: v.string(),
  workflow: anything,
  run: anything,
})

/** Something about an issue that accounts may want to be notified of. */
const IssueActivity = v.object({
  kind: v.literal('issue.activity'),
  issue: v.number(),
  /** Who acted; gets no notification. */
  actor: v.number(),
  /** Whether watchers and participants are notified. */
  audience: v.boolean(),
  /** Names that the text mentions: `name`, or `organization/team`. */
  names: v.pipe(v.array(v.string()), v.readonly()),
  /** Ids of further recipients, such as new assignees. */
  accounts: v.pipe(v.array(v.number()), v.readonly()),
})

const DomainEvent = v.variant('kind', [
  RefUpdated,
  RepositoryChanged,
  RepositoryForked,
  PackageChanged,
  IssueChanged,
  PullChanged,
  CommentChanged,
  CommitStatusCreated,
  ReleaseChanged,
  JobsChanged,
  RunChanged,
  WorkflowJobChanged,
  WorkflowRunChanged,
  IssueActivity,
  v.object({ kind: v.literal('transfer.offered'), repository: v.number() }),
  /** What somebody signs in with was changed; `action` as in the audit trail. */
  v.object({ kind: v.literal('credentials.changed'), account: v.number(), action: v.string() }),
])

export type DomainEvent = v.InferOutput<typeof DomainEvent>
type EventKind = DomainEvent['kind']
export type EventOf<Kind extends EventKind> = Extract<DomainEvent, { kind: Kind }>

/** Queues events in their order, if the transaction commits. */
export async function emitEvents(tx: Tx, events: readonly DomainEvent[]): Promise<void> {
  await tx.emitAll(events.map(eventDraft))
}

/** An event as the outbox stores it. */
export const eventDraft = ({ kind, ...payload }: DomainEvent): EventDraft => ({ kind, payload })

/** The events of some kinds, in their order. @throws ValiError when a stored event is malformed */
export function eventsOf<Kind extends EventKind>(
  stored: readonly StoredEvent[],
  kinds: readonly Kind[],
): EventOf<Kind>[] {
  return stored
    .filter(({ kind }) => kinds.some((each) => each === kind))
    .map((event) => readEvent(event, kinds))
}

function readEvent<Kind extends EventKind>(stored: StoredEvent, kinds: readonly Kind[]): EventOf<Kind> {
  const members = v.parse(v.looseObject({}), stored.payload)
  const event = v.parse(DomainEvent, { at: stored.created_at, ...members, kind: stored.kind })
  if (isOneOf(event, kinds)) return event
  throw new Error(`event ${stored.id} is of another kind`)
}

const isOneOf = <Kind extends EventKind>(
  event: DomainEvent,
  kinds: readonly Kind[],
): event is EventOf<Kind> => kinds.some((kind) => kind === event.kind)
