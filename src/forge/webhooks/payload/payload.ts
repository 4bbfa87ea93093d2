import type { PackageFacts, RepositoryFacts, UserFacts } from '../../../background/domain-events.ts'
import type { Commit } from '../../../git/repository/history.ts'
import type { HookEvent } from './events.ts'
import type { IssueMessage } from './issues.ts'

/** A commit in a push payload. */
export interface PayloadCommit {
  readonly id: string
  readonly message: string
  readonly url: string
  readonly author: PayloadPerson
  readonly committer: PayloadPerson
  readonly verification: null
  /** RFC 3339. */
  readonly timestamp: string
  /** Paths. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly modified: readonly string[]
}

/** `username` is empty if the address belongs to no account. */
interface PayloadPerson {
  readonly name: string
  readonly email: string
  readonly username: string
}

interface RepositoryPayload {
  readonly action: 'created' | 'deleted'
  readonly repository: RepositoryFacts
  /** The owner printed as a user, also if it is an organization. */
  readonly organization: UserFacts
  readonly sender: UserFacts
}

interface CreatePayload {
  readonly sha: string
  /** The short name. */
  readonly ref: string
  readonly ref_type: RefType
  readonly repository: RepositoryFacts
  readonly sender: UserFacts
}

interface DeletePayload {
  /** The short name. */
  readonly ref: string
  readonly ref_type: RefType
  readonly pusher_type: 'user'
  readonly repository: RepositoryFacts
  readonly sender: UserFacts
}

type RefType = 'branch' | 'tag'

export interface PushPayload {
  /** The whole ref. */
  readonly ref: string
  readonly before: string
  readonly after: string
  readonly compare_url: string
  /** Newest first, at most five. */
  readonly commits: readonly PayloadCommit[]
  readonly total_commits: number
  /** The newest commit; null on deletion. */
  readonly head_commit: PayloadCommit | null
  readonly repository: RepositoryFacts
  readonly pusher: UserFacts
  readonly sender: UserFacts
}

interface PackagePayload {
  readonly action: 'created' | 'deleted'
  /** Always null: packages are not linked to repositories here. */
  readonly repository: null
  readonly package: PackageFacts
  /** The owner as an organization; null if it is a user. */
  readonly organization: { readonly name: string } | null
  readonly sender: UserFacts
}

/** The status of a commit in one context; the members in the order in which they are sent. */
export interface StatusPayload {
  /** Null if the repository no longer contains the commit. */
  readonly commit: { readonly id: string } | null
  readonly context: string
  /** RFC 3339, like `updated_at`. */
  readonly created_at: string
  readonly description: string
  readonly id: number
  readonly repository: RepositoryFacts
  readonly sender: UserFacts
  readonly sha: string
  readonly state: string
  readonly target_url: string
  readonly updated_at: string
}

/** A job or a run as replies print them, and what it belongs to. Chats get no message about them. */
interface WorkflowPayload {
  readonly action: string
  readonly workflow?: object
  readonly workflow_job?: object
  readonly workflow_run?: object
  readonly organization?: object
  readonly repository: RepositoryFacts
  readonly sender: UserFacts
}

/** The messages about an update of a ref. */
export type RefMessage =
  | { readonly event: 'create'; readonly payload: CreatePayload }
  | { readonly event: 'delete'; readonly payload: DeletePayload }
  | { readonly event: 'push'; readonly payload: PushPayload }

/** An event with its payload, from which request bodies are made. */
export type HookMessage =
  | RefMessage
  | { readonly event: 'repository'; readonly payload: RepositoryPayload }
  | { readonly event: 'package'; readonly payload: PackagePayload }
  | { readonly event: 'status'; readonly payload: StatusPayload }
  | { readonly event: 'workflow_job' | 'workflow_run'; readonly payload: WorkflowPayload }
  | IssueMessage

/** Maximum number of commits in a push payload; further ones are only counted. */
const maxCommits = 5

/** In this and the following functions, members stand in the order in which they are sent. */
export function repositoryMessage(
  action: RepositoryPayload['action'],
  facts: { repository: RepositoryFacts; owner: UserFacts; sender: UserFacts },
): HookMessage {
  const { repository, owner, sender } = facts
  return { event: 'repository', payload: { action, repository, organization: owner, sender } }
}

/** A branch or tag was created; `ref` is the full name, `sha` what it points to. */
export function createMessage(facts: {
  ref: string
  sha: string
  repository: RepositoryFacts
  sender: UserFacts
}): RefMessage {
  const { ref, sha, repository, sender } = facts
  return { event: 'create', payload: { sha, ref: shortRef(ref), ref_type: refType(ref), repository, sender } }
}

/** A branch or tag was deleted; `ref` is the full name. */
export function deleteMessage(facts: {
  ref: string
  repository: RepositoryFacts
  sender: UserFacts
}): RefMessage {
  const { ref, repository, sender } = facts
  const payload = {
    ref: shortRef(ref),
    ref_type: refType(ref),
    pusher_type: 'user',
    repository,
    sender,
  } as const
  return { event: 'delete', payload }
}

/**
 * A push to one ref. `before` and `after` are object ids, all zeros for a ref that was created or deleted; `commits`
 * are newest first and may be more than are sent; `total` is their real count. `root` is the public address of the
 * site, which is the `compare_url` of a push to an empty repository.
 */
export function pushMessage(facts: {
  ref: string
  before: string
  after: string
  commits: readonly PayloadCommit[]
  total: number
  head: PayloadCommit | null
  /** The repository was empty before. */
  first: boolean
  root: string
  repository: RepositoryFacts
  sender: UserFacts
}): RefMessage {
  const { ref, before, after, commits, total, head, first, root, repository, sender } = facts
  const payload = {
    ref,
    before,
    after,
    compare_url: first ? root : `${repository.html_url}/compare/${before}...${after}`,
    commits: commits.slice(0, maxCommits),
    total_commits: total,
    head_commit: head,
    repository,
    pusher: sender,
    sender,
  }
  return { event: 'push', payload }
}

/** A package version was published or deleted; `organization` is the owner if the owner is an organization. */
export function packageMessage(
  action: PackagePayload['action'],
  facts: { package: PackageFacts; organization: { readonly name: string } | null; sender: UserFacts },
): HookMessage {
  const { organization, sender } = facts
  return {
    event: 'package',
    payload: { action, repository: null, package: facts.package, organization, sender },
  }
}

/**
 * A commit in webhook payloads; `url`: the page of the repository. Email addresses are not resolved: `username` is
 * empty, as for addresses of no account.
 */
export function payloadCommit(
  commit: Pick<Commit, 'id' | 'message' | 'added' | 'removed' | 'modified'> & {
    author: Pick<Commit['author'], 'name' | 'email'>
    committer: Commit['committer']
  },
  url: string,
): PayloadCommit {
  const { id, message, author, committer, added, removed, modified } = commit
  return {
    id,
    message,
    url: `${url}/commit/${id}`,
    author: { name: author.name, email: author.email, username: '' },
    committer: { name: committer.name, email: committer.email, username: '' },
    verification: null,
    timestamp: committer.at,
    added,
    removed,
    modified,
  }
}

/** Indented by two spaces, repository and wiki events by one: byte for byte Gitea's text, which signatures cover. */
export function payloadText(event: HookEvent, payload: unknown): string {
  return JSON.stringify(payload, null, event === 'repository' || event === 'wiki' ? 1 : 2)
}

export const shortRef = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '')
export const refType = (ref: string): RefType => (ref.startsWith('refs/tags/') ? 'tag' : 'branch')
