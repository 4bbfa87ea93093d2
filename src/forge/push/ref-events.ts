import type { DomainEvent } from '../../background/domain-events.ts'
import type { RefUpdate } from '../../git/http/http.ts'
import type { Commit } from '../../git/repository/history.ts'
import type { Account } from '../accounts/account-store.ts'
import { printUser } from '../accounts/user.shape.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { printRepository } from '../repos/repo.shape.ts'
import type { Repository } from '../repos/repo-store.ts'

/** An update of a ref by a push, and the commits that it added. */
export interface RefUpdateWithCommits {
  update: RefUpdate
  commits: readonly Commit[]
  total: number
}

/** Facts that the events of one push share. */
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

/** The events `ref.updated` of a push, in order. */
export function refUpdatedEvents(
  { row, owner, sender, host, root, wasEmpty }: PushFacts,
  changes: readonly RefUpdateWithCommits[],
): DomainEvent[] {
  const shared = {
    kind: 'ref.updated' as const,
    location: { repository: row.id, owner: owner.id },
    actor: sender.id,
    repository: printRepository(row, owner, { host, level: LEVELS.owner, known: false }),
    sender: printUser(sender, undefined, host),
    root,
    was_empty: wasEmpty,
  }
  return changes.map(({ update: { ref, before, after }, commits, total }) => {
    return { ...shared, ref, before, after, commits: commits.map(commitOf), total }
  })
}

function commitOf({ id, message, author, committer, added, removed, modified }: Commit) {
  return {
    id,
    message,
    committer,
    added,
    removed,
    modified,
    author: { name: author.name, email: author.email },
  }
}
