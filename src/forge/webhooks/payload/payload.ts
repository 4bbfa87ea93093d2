import type { HookEvent } from './events.ts'
import type { IssueMessage } from './issues.ts'
import type { RepositoryFacts, UserFacts } from './subjects.ts'

/** A commit as a push announces it. */
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

/** `username` is empty when the address belongs to no account. */
export interface PayloadPerson {
  readonly name: string
  readonly email: string
  readonly username: string
}

export interface RepositoryPayload {
  readonly action: 'created' | 'deleted'
  readonly repository: RepositoryFacts
  /** The owner as a user, also where it is a person. */
  readonly organization: UserFacts
  readonly sender: UserFacts
}

export interface CreatePayload {
  readonly sha: string
  /** The short name. */
  readonly ref: string
  readonly ref_type: RefType
  readonly repository: RepositoryFacts
  readonly sender: UserFacts
}

export interface DeletePayload {
  /** The short name. */
  readonly ref: string
  readonly ref_type: RefType
  readonly pusher_type: 'user'
  readonly repository: RepositoryFacts
  readonly sender: UserFacts
}

export type RefType = 'branch' | 'tag'

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

/** A package version as replies print it. */
export interface PackageFacts {
  readonly name: string
  readonly version: string
  readonly type: string
  readonly html_url: string
  readonly owner: UserFacts
}

export interface PackagePayload {
  readonly action: 'created' | 'deleted'
  /** Always null: the linked repository stands in the package. */
  readonly repository: null
  readonly package: PackageFacts
  /** The owner as an organization; null where it is a person. */
  readonly organization: { readonly name: string } | null
  readonly sender: UserFacts
}

/** What was said of a commit in one context; the keys in the order in which they are sent. */
export interface StatusPayload {
  /** Null where the commit is not known any more. */
  readonly commit: PayloadCommit | null
  readonly context: string
  /** RFC 3339, as `updated_at`. */
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

/** An event with its payload: what bodies are made of. */
export type HookMessage =
  | { readonly event: 'repository'; readonly payload: RepositoryPayload }
  | { readonly event: 'create'; readonly payload: CreatePayload }
  | { readonly event: 'delete'; readonly payload: DeletePayload }
  | { readonly event: 'push'; readonly payload: PushPayload }
  | { readonly event: 'package'; readonly payload: PackagePayload }
  | { readonly event: 'status'; readonly payload: StatusPayload }
  | IssueMessage

/** Commits that a push names; more are only counted. */
const mostCommits = 5

/** The keys of each body in the order in which they are sent. */
export function repositoryMessage(
  action: RepositoryPayload['action'],
  facts: { repository: RepositoryFacts; owner: UserFacts; sender: UserFacts },
): HookMessage {
  const { repository, owner, sender } = facts
  return { event: 'repository', payload: { action, repository, organization: owner, sender } }
}

/** A branch or tag that has come to be; `ref` is the whole ref, `sha` what it points to. */
export function createMessage(facts: {
  ref: string
  sha: string
  repository: RepositoryFacts
  sender: UserFacts
}): HookMessage {
  const { ref, sha, repository, sender } = facts
  return { event: 'create', payload: { sha, ref: shortRef(ref), ref_type: refType(ref), repository, sender } }
}

/** A branch or tag that is gone; `ref` is the whole ref. */
export function deleteMessage(facts: {
  ref: string
  repository: RepositoryFacts
  sender: UserFacts
}): HookMessage {
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
 * A push to one ref. `before` and `after` are object ids, all zeros where there was or is none; `commits` are newest
 * first and may be more than are sent; `total` is the real count. `root` is the public address of the site: what a push
 * to an empty repository compares with.
 */
export function pushMessage(facts: {
  ref: string
  before: string
  after: string
  commits: readonly PayloadCommit[]
  total: number
  head: PayloadCommit | null
  /** The repository held nothing before. */
  first: boolean
  root: string
  repository: RepositoryFacts
  sender: UserFacts
}): HookMessage {
  const { ref, before, after, commits, total, head, first, root, repository, sender } = facts
  const payload = {
    ref,
    before,
    after,
    compare_url: first ? root : `${repository.html_url}/compare/${before}...${after}`,
    commits: commits.slice(0, mostCommits),
    total_commits: total,
    head_commit: head,
    repository,
    pusher: sender,
    sender,
  }
  return { event: 'push', payload }
}

/** A package version that was published or removed; `organization` is its owner where that is one. */
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

/** Two spaces, but one for repository and wiki events: the reference's own text, over which signatures go. */
export function payloadText(event: HookEvent, payload: unknown): string {
  return JSON.stringify(payload, null, event === 'repository' || event === 'wiki' ? 1 : 2)
}

const shortRef = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '')
const refType = (ref: string): RefType => (ref.startsWith('refs/tags/') ? 'tag' : 'branch')
