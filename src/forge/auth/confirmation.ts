import type { Tx } from '../../db/sql.ts'
import { Outdated } from '../../http/route/problem.ts'
import type { Caller } from './caller.ts'
import { lookUp, needsLookup } from './lookup-store.ts'
import { lockAccountRow, lockRepositoryRow } from './target-store.ts'

/** The row of the path that a change locks: the account, or the repository. */
export type LockedTarget = 'account' | 'repository'

/**
 * Checks inside a transaction that everything the access check found is still so: the account and its state, the token,
 * the target, its owner, and the roles of the caller. First locks the row that the change is about, so that of two
 * changes the second one sees what the first has done.
 * @throws Outdated
 */
export async function confirmCaller(
  tx: Tx,
  { lookup: { input, rows }, repo, subject }: Caller,
  locks: LockedTarget | undefined,
): Promise<void> {
  if (locks === 'repository' && repo) await lockRepositoryRow(tx, repo.id)
  if (locks === 'account' && subject) await lockAccountRow(tx, subject.id)
  if (!needsLookup(input)) return
  if (printed(await lookUp(tx, input)) !== printed(rows)) throw new Outdated()
}

/** Columns that requests change without a change of anybody's rights. */
const volatile = new Set([
  'token_used_at',
  'totp_step',
  'last_login_at',
  'updated_at',
  'starred_repos_count',
  'followers_count',
  'following_count',
  'unread',
  // The kind of an issue never changes; whether it still exists is for the handler to find.
  'unit',
])

const printed = (rows: readonly object[]) =>
  rows
    .map((row) => JSON.stringify(row, (name, value: unknown) => (volatile.has(name) ? undefined : value)))
    .sort()
    .join('\n')
