import type { Paging } from '../../db/page.ts'
import { anyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { pageOfAccountsIn } from '../accounts/account-page-store.ts'
import type { Visibility } from '../accounts/visibility.ts'

/** The only writer of follows. */

/** Makes an account follow another one; no change if it already does, or if either is gone. A trigger counts both sides. */
export async function insertFollow(tx: Tx, account: number, followed: number): Promise<void> {
  await lockAccounts(tx, [account, followed])
  await tx`
    insert into forge.follow (account_id, followed_id, created_at)
    select follower.id, followed.id, ${tx.now}
    from forge.account as follower, forge.account as followed
    where follower.id = ${account} and followed.id = ${followed}
    on conflict on constraint follow_pkey do nothing`
}

/** Makes an account no longer follow another one; no change if it does not. */
export async function deleteFollow(tx: Tx, account: number, followed: number): Promise<void> {
  await lockAccounts(tx, [account, followed])
  await tx`
    delete from forge.follow
    where account_id = ${account} and followed_id = ${followed}`
}

/**
 * Locks an account with all that follow it or that it follows, by id, until the transaction ends: when the account is
 * deleted, a trigger recounts their followers.
 */
export async function lockFollowsOf(tx: Tx, account: number): Promise<void> {
  await tx`
    select from forge.account
    where id in (
      select ${account}::bigint
      union
      select account_id from forge.follow where followed_id = ${account}
      union
      select followed_id from forge.follow where account_id = ${account}
    )
    order by id
    for no key update`
}

/** Both sides, by id, as the trigger locks them. */
async function lockAccounts(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx`
    select from forge.account
    where id = any(${[...ids]}::bigint[])
    order by id
    for no key update`
}

/** Whether an account follows another one. */
export const isFollowing = (sql: Sql, account: number, followed: number) =>
  anyRow(sql`
    select account_id
    from forge.follow
    where account_id = ${account} and followed_id = ${followed}`)

/** The reader of a list sees accounts of these visibilities and, if it has an id, itself and its organizations. */
interface ListReader {
  visibilities: readonly Visibility[]
  id: number | null
}

/** A page of the accounts that follow an account. */
export const pageOfFollowers = (sql: Sql, account: number, reader: ListReader, paging: Paging) =>
  pageOfAccountsIn(sql, sql`forge.follow where followed_id = ${account} and ${isShown(sql, reader)}`, paging)

/** A page of the accounts that an account follows. */
export const pageOfFollowed = (sql: Sql, account: number, reader: ListReader, paging: Paging) =>
  pageOfAccountsIn(
    sql,
    sql`
      (select followed_id as account_id from forge.follow where account_id = ${account}) as followed
      where ${isShown(sql, reader)}`,
    paging,
  )

/** Whether a reader may see the account of `account_id`. */
const isShown = (sql: Sql, { visibilities, id }: ListReader): Fragment => sql`
  exists (
    select from forge.account as shown
    where shown.id = account_id and (
      shown.visibility = any(${[...visibilities]}::text[]) or shown.id = ${id}::bigint
      or exists (
        select from forge.membership
        where membership.organization_id = shown.id and membership.account_id = ${id}::bigint
      )
    )
  )`
