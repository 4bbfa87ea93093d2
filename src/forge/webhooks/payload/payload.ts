import type { EventOf, PackageFacts, RepositoryFacts, UserFacts } from '../../../background/domain-events.ts'
import type { Commit } from '../../../git/repository/history.ts'
import { escapeSegments } from '../../protocol/escape-segments.ts'
import { EPOCH, printTime } from '../../protocol/time.ts'
import type { HookEvent } from './events.ts'
import type { IssueMessage } from './issues.ts'
import type { PullMessage } from './pulls.ts'

/** A commit in a push payload. */
export type PayloadCommit = Readonly<ReturnType<typeof payloadCommit>>

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
export type RefMessage = ReturnType<typeof createMessage | typeof deleteMessage | typeof pushMessage>

/** An event with its payload, from which request bodies are made. */
export type HookMessage =
  | RefMessage
  | ReturnType<
      | typeof repositoryMessage
      | typeof forkMessage
      | typeof packageMessage
      | typeof statusMessage
      | typeof releaseMessage
    >
  | { readonly event: 'workflow_job' | 'workflow_run'; readonly payload: WorkflowPayload }
  | IssueMessage
  | PullMessage

/** What is sent about an event. */
export type PayloadOf<Event extends HookMessage['event']> = Extract<HookMessage, { event: Event }>['payload']

/** Maximum number of commits in a push payload; further ones are only counted. */
const maxCommits = 5

/** The repository and who did something to it. */
interface RepositoryAndSender {
  repository: RepositoryFacts
  sender: UserFacts
}

/** In this and the following functions, members stand in the order in which they are sent. */
export function repositoryMessage(
  action: 'created' | 'deleted',
  { repository, owner, sender }: RepositoryAndSender & { owner: UserFacts },
) {
  // The owner is printed as a user, also if it is an organization.
  return { event: 'repository' as const, payload: { action, repository, organization: owner, sender } }
}

/** A fork was made; the protocol calls the repository from which it was made `forkee`. */
export function forkMessage({
  parent,
  repository,
  sender,
}: RepositoryAndSender & { parent: RepositoryFacts }) {
  return { event: 'fork' as const, payload: { forkee: parent, repository, sender } }
}

/** A branch or tag was created; `ref` is the full name, of which the short one is sent, `sha` what it points to. */
export function createMessage({
  ref,
  sha,
  repository,
  sender,
}: RepositoryAndSender & { ref: string; sha: string }) {
  const payload = { sha, ref: shortRef(ref), ref_type: refType(ref), repository, sender }
  return { event: 'create' as const, payload }
}

/** A branch or tag was deleted; `ref` is the full name, of which the short one is sent. */
export function deleteMessage({ ref, repository, sender }: RepositoryAndSender & { ref: string }) {
  const payload = {
    ref: shortRef(ref),
    ref_type: refType(ref),
    pusher_type: 'user' as const,
    repository,
    sender,
  }
  return { event: 'delete' as const, payload }
}

/**
 * A push to one ref. `before` and `after` are object ids, all zeros for a ref that was created or deleted; `commits`
 * are newest first and may be more than are sent; `total` is their real count. `base` is the branch that a new one is
 * compared with. `root` is the public address of the site, which is the `compare_url` of a push to an empty repository.
 */
export function pushMessage(facts: {
  ref: string
  before: string
  after: string
  commits: readonly PayloadCommit[]
  total: number
  head: PayloadCommit | null
  base?: string | undefined
  /** The repository was empty before. */
  first: boolean
  root: string
  repository: RepositoryFacts
  sender: UserFacts
}) {
  const { ref, before, after, commits, total, head, base, first, root, repository, sender } = facts
  const since = base === undefined ? before : escapeSegments(base)
  const payload = {
    ref,
    before,
    after,
    compare_url: first ? root : `${repository.html_url}/compare/${since}...${after}`,
    commits: commits.slice(0, maxCommits),
    total_commits: total,
    head_commit: head,
    repository,
    pusher: sender,
    sender,
  }
  return { event: 'push' as const, payload }
}

/**
 * A package version was published or deleted; `organization` is the owner if the owner is an organization. Packages are
 * not linked to repositories here.
 */
export function packageMessage(
  action: 'created' | 'deleted',
  facts: { package: PackageFacts; organization: { readonly name: string } | null; sender: UserFacts },
) {
  const { organization, sender } = facts
  const payload = { action, repository: null, package: facts.package, organization, sender }
  return { event: 'package' as const, payload }
}

/** The status of a commit in one context; the commit is null if the repository no longer contains it. */
export function statusMessage({
  commit,
  status,
  repository,
  sender,
}: Omit<EventOf<'commit_status.created'>, 'kind' | 'location'>) {
  const payload = {
    commit,
    context: status.context,
    created_at: printTime(status.created_at, EPOCH),
    description: status.description,
    id: status.id,
    repository,
    sender,
    sha: status.commit_sha,
    state: status.state,
    target_url: status.target_url,
    updated_at: printTime(status.updated_at, EPOCH),
  }
  return { event: 'status' as const, payload }
}

/** A release was published, changed or deleted. */
export function releaseMessage({
  action,
  release,
  repository,
  sender,
}: Pick<EventOf<'release.changed'>, 'action' | 'release' | 'repository' | 'sender'>) {
  return { event: 'release' as const, payload: { action, release, repository, sender } }
}

/** A commit in webhook payloads; `url`: the page of the repository. */
export function payloadCommit(
  commit: Pick<Commit, 'id' | 'message' | 'added' | 'removed' | 'modified'> & {
    author: PayloadPerson
    committer: PayloadPerson & { at: string }
  },
  url: string,
) {
  const { id, message, author, committer, added, removed, modified } = commit
  return {
    id,
    message,
    url: `${url}/commit/${id}`,
    author: printPerson(author),
    committer: printPerson(committer),
    verification: null,
    timestamp: author.at ?? committer.at,
    added,
    removed,
    modified,
  }
}

/** Who wrote a commit; `username`: the account with that address. */
interface PayloadPerson {
  name: string
  email: string
  username?: string
  at?: string
}

const printPerson = ({ name, email, username = '' }: PayloadPerson) => ({ name, email, username })

/** Indented by two spaces, repository and wiki events by one: byte for byte Gitea's text, which signatures cover. */
export function payloadText(event: HookEvent, payload: unknown): string {
  return JSON.stringify(payload, null, event === 'repository' || event === 'wiki' ? 1 : 2)
}

export const shortRef = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '')
export const refType = (ref: string): 'branch' | 'tag' => (ref.startsWith('refs/tags/') ? 'tag' : 'branch')
