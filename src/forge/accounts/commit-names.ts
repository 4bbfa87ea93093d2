import type { Sql } from '../../db/sql.ts'
import type { Signature } from '../../git/repository/first-commit.ts'
import type { Commit } from '../../git/repository/history.ts'
import { accountsByEmail, emailKey } from './account-by-email-store.ts'
import type { Account } from './account-store.ts'
import { placeholderAddress } from './email-address.ts'

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

/** The author of the commits and tags that a request creates: the caller, with the address that others may see. */
export function signatureOf(me: Account, { from, now }: { from: { host: string }; now: Date }): Signature {
  const email = me.hides_email ? placeholderAddress(me, from.host) : me.email
  return { name: me.full_name || me.name, email, at: now }
}
