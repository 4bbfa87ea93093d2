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

/** A ref that has moved, and what that brought. */
export interface Brought {
  update: RefUpdate
  commits: readonly Commit[]
  total: number
}

/** What the messages of a push share. */
export interface PushFacts {
  row: Repository
  owner: Account
  sender: Account
  /** Root of links, and the public one. */
  host: string
  root: string
  /** Whether the repository was empty. */
  first: boolean
}

/**
 * What hooks and workflows are told of moved refs, with the ref of each. In the order of the reference: a branch is
 * created, then pushed to; a tag the other way round.
 */
export function pushMessages(
  { row, owner, sender, host, root, first }: PushFacts,
  moved: readonly Brought[],
): { ref: string; message: HookMessage }[] {
  const shown = (level: number) => printRepository(row, owner, { host, level, known: false })
  const shared = {
    whole: shown(LEVELS.owner),
    bare: shown(LEVELS.none),
    who: printUser(sender, undefined, host),
    root,
    first,
  }
  return moved.flatMap((brought) =>
    messagesOf(shared, brought).map((message) => ({ ref: brought.update.ref, message })),
  )
}

interface Shared extends Pick<PushFacts, 'root' | 'first'> {
  whole: ReturnType<typeof printRepository>
  bare: ReturnType<typeof printRepository>
  who: ReturnType<typeof printUser>
}

function messagesOf({ whole, bare, who, root, first }: Shared, brought: Brought): HookMessage[] {
  const { update, commits, total } = brought
  const { ref, before, after } = update
  const isTag = ref.startsWith('refs/tags/')
  const told = commits.map((commit) => payloadCommit(commit, whole.html_url))
  const push = pushMessage({
    ...update,
    commits: isTag ? [] : told,
    total: isTag ? 0 : total,
    head: told[0] ?? null,
    ...{ first, root, repository: whole, sender: who },
  })
  if (isZeroId(after)) {
    const gone = deleteMessage({ ref, repository: bare, sender: who })
    return isTag ? [push, gone] : [gone]
  }
  if (!isZeroId(before)) return [push]
  const made = createMessage({ ref, sha: after, repository: bare, sender: who })
  return isTag ? [push, made] : [made, push]
}

/** A commit as webhooks are told of it. Addresses are not looked up: `username` is empty, as it is for those that belong to no account. */
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
