import type { Sql } from '../../db/sql.ts'
import type { Commit } from '../../git/repository/history.ts'
import { accountsByEmail, emailKey } from './account-by-email-store.ts'

type Person = Commit['author']

/** A commit, and the names of the accounts to which the addresses in it belong; "" if there is none. */
export interface NamedCommit extends Commit {
  author: Person & { username: string }
  committer: Person & { username: string }
}

/** Looks the accounts of commits up, all at once; the result names those of one of these commits. */
export async function commitNamesOf(
  sql: Sql,
  commits: readonly Commit[],
): Promise<(commit: Commit) => NamedCommit> {
  const addresses = commits.flatMap(({ author, committer }) => [author.email, committer.email])
  const accounts = await accountsByEmail(sql, addresses)
  const named = (person: Person) => ({
    ...person,
    username: accounts.get(emailKey(person.email))?.name ?? '',
  })
  return (commit) => ({ ...commit, author: named(commit.author), committer: named(commit.committer) })
}
