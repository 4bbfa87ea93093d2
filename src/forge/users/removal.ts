import type { Sql, Tx } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { type Account, deleteAccount, lockAccount, lockAdministrators } from '../accounts/account-store.ts'
import { isLastAdministrator } from '../accounts/administrator-store.ts'
import { nameUnknown } from '../accounts/names.ts'
import { stillOwns } from '../accounts/ownership-constraints.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import { lockFollowsOf } from '../follows/follow-store.ts'
import { deleteCommentsOf } from '../issues/comment-store.ts'
import { lockIssuesWith } from '../issues/issue-store.ts'
import { lockOwnedAlone, organizationNamesOf } from '../orgs/membership-store.ts'
import { deletePackagesOf, lockPackagesOf, ownedPackageNames } from '../packages/package-store.ts'
import { removeReleased } from '../repos/directory.ts'
import { lockRepositoriesOf, ownedNames } from '../repos/repo-query-store.ts'
import { type RepositoryPlace, releaseRepositories } from '../repos/repo-store.ts'
import type { ForgeContext } from '../route.ts'
import { lastAdminMessage, notUserMessage } from './edit.ts'

/**
 * Deletes a user; with `purge`, first deletes what would block the deletion. All or nothing. Locks the account before it
 * looks at what the user owns, so that no other transaction makes the user the owner of an organization meanwhile.
 * @throws Problem 404 gone; 422 organization, oneself, last administrator, or blocked
 */
export async function removeUser(
  context: ForgeContext<SignedInOnSubject, { query: { purge: boolean } }>,
): Promise<void> {
  const { begin, caller, query } = context
  const { me, impersonator, subject } = caller
  if (subject.kind === 'organization') throw unprocessable(notUserMessage)
  if (subject.id === me.id || subject.id === impersonator?.id)
    throw unprocessable('you cannot delete yourself')
  const removal = begin(async (tx) => {
    if (subject.is_admin) await lockAdministrators(tx)
    await lockBelongings(tx, subject.id)
    const user = found(await lockAccount(tx, subject.id), nameUnknown(subject.name))
    if (await isLastAdministrator(tx, user)) throw unprocessable(lastAdminMessage(user.id))
    const { organizations, released } = query.purge ? await purge(tx, user) : nothing
    if (!query.purge) await requireUnblocked(tx, user)
    await deleteAccount(tx, user.id)
    const target = accountTarget(user)
    const details = { purge: query.purge, organizations }
    await record(tx, context, { action: 'user.deleted', target, details })
    return released
  })
  await removeReleased(context, await mapConstraints(removal, stillOwns(subject)))
}

/**
 * Locks what the deletion will write, before the account: requests of the user lock such a row first and refer to the
 * account after it. In the other order, the deletion of a busy user would end in one deadlock after the other.
 */
async function lockBelongings(tx: Tx, user: number): Promise<void> {
  const owners = [user, ...(await lockOwnedAlone(tx, user)).map(({ id }) => id)]
  await lockIssuesWith(tx, user)
  await lockRepositoriesOf(tx, { owners, account: user })
  await lockPackagesOf(tx, owners)
  await lockFollowsOf(tx, user)
}

const nothing = { organizations: [], released: [] }

/** Maximum number of names in the message; the statements select one more. */
const maxNames = 5

/** What blocks the deletion of a user without `purge`, in the order in which it is reported. */
const blockers: readonly { what: string; names: (sql: Sql, user: number) => Promise<string[]> }[] = [
  { what: 'ownership of repositories', names: (sql, user) => ownedNames(sql, user, maxNames + 1) },
  { what: 'membership of organizations', names: (sql, user) => organizationNamesOf(sql, user, maxNames + 1) },
  { what: 'ownership of packages', names: (sql, user) => ownedPackageNames(sql, user, maxNames + 1) },
]

/** Passes if the user has nothing that blocks the deletion without `purge`. @throws Problem 422 */
export async function requireUnblocked(tx: Tx, user: Account): Promise<void> {
  const [first] = await blocking(tx, user.id)
  if (first) throw unprocessable(`user still has ${first.what} [uid: ${user.id}]: ${first.names}`)
}

/** What blocks the deletion of a user without `purge`, each with the first names. */
export async function blocking(sql: Sql, user: number): Promise<{ what: string; names: string }[]> {
  const owned = await Promise.all(
    blockers.map(async ({ what, names }) => ({ what, names: await names(sql, user) })),
  )
  return owned.flatMap(({ what, names }) => (names.length > 0 ? { what, names: summary(names) } : []))
}

function summary(names: readonly string[]): string {
  const listed = names.slice(0, maxNames).join(', ')
  return names.length > maxNames ? `${listed} and more` : listed
}

/**
 * Deletes the user's comments, the organizations that would be left without an owner, and the packages of all of them;
 * releases their repositories, whose directories are deleted after the commit. Returns the names of the organizations.
 */
async function purge(
  tx: Tx,
  user: Account,
): Promise<{ organizations: string[]; released: RepositoryPlace[] }> {
  const owned = await lockOwnedAlone(tx, user.id)
  const owners = [user.id, ...owned.map(({ id }) => id)]
  await deleteCommentsOf(tx, user.id)
  const released = await releaseRepositories(tx, { owners })
  await deletePackagesOf(tx, owners)
  for (const { id } of owned) await deleteAccount(tx, id)
  return { organizations: owned.map(({ name }) => name), released }
}
