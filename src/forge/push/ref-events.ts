import type { DomainEvent } from '../../background/domain-events.ts'
import type { Sql } from '../../db/sql.ts'
import type { RefUpdate } from '../../git/http/http.ts'
import { isZeroId } from '../../git/program/names.ts'
import type { Commit } from '../../git/repository/history.ts'
import type { Account } from '../accounts/account-store.ts'
import { commitNamesOf, type NamedCommit } from '../accounts/commit-names.ts'
import { printUser } from '../accounts/user.shape.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { printRepository } from '../repos/repo.shape.ts'
import type { Repository } from '../repos/repo-store.ts'

/** An update of a ref by a push, and the commits that it added. */
export interface RefUpdateWithCommits {
  update: RefUpdate
  commits: readonly Commit[]
  total: number
  /** The commit that the ref points to, if it is not the first of these. */
  head?: Commit | undefined
}

/** The same, with the accounts of authors and committers. */
export interface NamedUpdate {
  update: RefUpdate
  commits: readonly NamedCommit[]
  total: number
  head?: NamedCommit | undefined
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
  changes: readonly NamedUpdate[],
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
  return changes.map(({ update: { ref, before, after }, commits, total, head }) => {
    const added = { commits: commits.map(commitOf), total, ...(head && { head: commitOf(head) }) }
    const isCompared =
      isZeroId(before) && ref.startsWith('refs/heads/') && ref !== `refs/heads/${row.default_branch}`
    return { ...shared, ref, before, after, ...added, ...(isCompared && { base: row.default_branch }) }
  })
}

const commitOf = ({ id, message, author, committer, added, removed, modified }: NamedCommit) => ({
  id,
  message,
  committer,
  added,
  removed,
  modified,
  author,
})

/** Finds the accounts of the commits of updates. */
export async function withUsernames(
  sql: Sql,
  changes: readonly RefUpdateWithCommits[],
): Promise<NamedUpdate[]> {
  const named = await commitNamesOf(
    sql,
    changes.flatMap(({ commits, head }) => [...commits, ...(head ? [head] : [])]),
  )
  return changes.map(({ commits, head, ...change }) => ({
    ...change,
    commits: commits.map(named),
    head: head && named(head),
  }))
}
