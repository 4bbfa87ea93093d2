import type { RefUpdate } from '../../git/http/http.ts'
import { isZeroId } from '../../git/program/names.ts'
import type { Commit } from '../../git/repository/history.ts'
import type { Account } from '../accounts/account.ts'
import { LEVELS } from '../repos/access-level.ts'
import { printRepository } from '../repos/repo.shape.ts'
import type { Repository } from '../repos/repo-store.ts'
import { printUser } from '../users/user.shape.ts'
import {
  createMessage,
  deleteMessage,
  type HookMessage,
  type PayloadCommit,
  pushMessage,
} from '../webhooks/payload/payload.ts'

/** A moved ref and the commits that the push added to it. */
export interface RefChange {
  update: RefUpdate
  commits: readonly Commit[]
  total: number
}

/** What the messages of one push share. */
interface PushFacts {
  row: Repository
  owner: Account
  sender: Account
  /** Base URL of links for this request, and the public one. */
  host: string
  root: string
  /** Whether the repository was empty before. */
  wasEmpty: boolean
}

/**
 * The messages for webhooks and workflows about moved refs, with the ref of each. The order is Gitea's: a branch is
 * created, then pushed to; for a tag it is the reverse.
 */
export function pushMessages(
  { row, owner, sender, host, root, wasEmpty }: PushFacts,
  changes: readonly RefChange[],
): { ref: string; message: HookMessage }[] {
  const print = (level: number) => printRepository(row, owner, { host, level, known: false })
  const shared = {
    repository: print(LEVELS.owner),
    publicRepository: print(LEVELS.none),
    sender: printUser(sender, undefined, host),
    root,
    wasEmpty,
  }
  return changes.flatMap((change) =>
    messagesOf(shared, change).map((message) => ({ ref: change.update.ref, message })),
  )
}

interface Shared extends Pick<PushFacts, 'root' | 'wasEmpty'> {
  repository: ReturnType<typeof printRepository>
  publicRepository: ReturnType<typeof printRepository>
  sender: ReturnType<typeof printUser>
}

function messagesOf(
  { repository, publicRepository, sender, root, wasEmpty }: Shared,
  change: RefChange,
): HookMessage[] {
  const { update, commits, total } = change
  const { ref, before, after } = update
  const isTag = ref.startsWith('refs/tags/')
  const payloadCommits = commits.map((commit) => payloadCommit(commit, repository.html_url))
  const push = pushMessage({
    ...update,
    commits: isTag ? [] : payloadCommits,
    total: isTag ? 0 : total,
    head: payloadCommits[0] ?? null,
    ...{ first: wasEmpty, root, repository, sender },
  })
  if (isZeroId(after)) {
    const deleted = deleteMessage({ ref, repository: publicRepository, sender })
    return isTag ? [push, deleted] : [deleted]
  }
  if (!isZeroId(before)) return [push]
  const created = createMessage({ ref, sha: after, repository: publicRepository, sender })
  return isTag ? [push, created] : [created, push]
}

/**
 * A commit in webhook payloads. Email addresses are not resolved: `username` is empty, as for addresses of no account.
 */
export function payloadCommit(
  { id, message, author, committer, ...rest }: Commit,
  url: string,
): PayloadCommit {
  const { added, removed, modified } = rest
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
