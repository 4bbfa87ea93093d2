import type { Paging } from '../../db/page.ts'
import { anyRow, firstRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { pageOfAccountsIn } from '../accounts/account-page-store.ts'
import { hasRepository, mayRead, mayReadAny, unitOfIssue } from '../permissions/access-level-store.ts'
import { pageOfReadersIn } from './reader-page-store.ts'

/** Makes an account watch a repository at its request; no change if it already does. */
export async function insertWatch(tx: Tx, repository: number, account: number): Promise<void> {
  await tx`
    with ${lockedRepository(tx, repository)}, unwatch as (
      delete from forge.repository_unwatch
      where repository_id in (select id from locked) and account_id = ${account}
    )
    insert into forge.repository_watch (repository_id, account_id, created_at)
    select id, ${account}, ${tx.now}
    from locked
    on conflict on constraint repository_watch_pkey do nothing`
}

/** Ends the watch of an account on a repository and prevents automatic watches of it in the future. */
export async function deleteWatch(tx: Tx, repository: number, account: number): Promise<void> {
  await tx`
    with ${lockedRepository(tx, repository)}, watch as (
      delete from forge.repository_watch
      where repository_id in (select id from locked) and account_id = ${account}
    )
    insert into forge.repository_unwatch (repository_id, account_id)
    select id, ${account}
    from locked
    on conflict on constraint repository_unwatch_pkey do nothing`
}

/**
 * A repository that is not being removed, locked before anything refers to it, as its deletion locks it: a trigger
 * counts the watchers in its row, and would otherwise wait for a deletion that waits for the reference.
 */
const lockedRepository = (tx: Tx, id: number) => tx`
  locked as materialized (
    select id
    from forge.repository
    where id = ${id} and state <> 'removing'
    for no key update
  )`

/** Makes an account watch a repository automatically, unless it has unwatched that repository before. */
export async function watchAutomatically(tx: Tx, repository: number, account: number): Promise<void> {
  await insertWatches(
    tx,
    tx`
      from forge.repository
      cross join forge.account
      where repository.id = ${repository} and account.id = ${account}`,
  )
}

/** Which team members start to watch what: restricted to one repository, to one team, or to one account. */
interface TeamWatch {
  repository?: number
  team?: number
  account?: number
}

/**
 * Makes team members watch the repositories of their teams automatically, unless they have unwatched them before. Call
 * it after the change that adds the repository to the team or the account to the team.
 */
export async function watchThroughTeams(tx: Tx, { repository, team, account }: TeamWatch): Promise<void> {
  const all = tx``
  await insertWatches(
    tx,
    tx`
      from forge.team
      join forge.team_member on team_member.team_id = team.id
      join forge.account on account.id = team_member.account_id
      join forge.repository on repository.owner_id = team.organization_id
      where ${hasRepository(tx)}
        ${repository === undefined ? all : tx`and repository.id = ${repository}`}
        ${team === undefined ? all : tx`and team.id = ${team}`}
        ${account === undefined ? all : tx`and account.id = ${account}`}`,
  )
}

/**
 * Adds a watch for each pair of `repository` and `account`. The accounts are locked, which leaves out accounts that are
 * deleted concurrently; without the lock the foreign key would fail the whole statement.
 */
async function insertWatches(tx: Tx, pairs: Fragment): Promise<void> {
  await tx`
    insert into forge.repository_watch (repository_id, account_id, created_at)
    select repository.id, account.id, ${tx.now}
    ${pairs} and repository.state <> 'removing'
      and not exists (
        select from forge.repository_unwatch
        where repository_id = repository.id and account_id = account.id
      )
    order by repository.id, account.id
    for key share of account
    on conflict on constraint repository_watch_pkey do nothing`
}

/** Whose watches may end: those of one repository or of all that an account owns, of everybody or of some accounts. */
type WatchScope = ({ repository: number } | { owner: number }) & { accounts?: readonly number[] }

/**
 * Ends the watches of accounts that may no longer read what they watch, also of single issues. Call it after the change
 * that takes the access away. The accounts are not kept from automatic watches in the future.
 */
export const endUnreadableWatches = (tx: Tx, scope: WatchScope) =>
  endWatches(tx, scope, tx`and not ${mayReadAny(tx)}`)

/** Ends the watches of accounts that are no longer members of an organization on its repositories, also public ones. */
export const endWatchesOfFormerMembers = (tx: Tx, organization: number, accounts: readonly number[]) =>
  endWatches(
    tx,
    { owner: organization, accounts },
    tx`
      and not exists (
        select from forge.membership
        where organization_id = ${organization} and account_id = account.id
      )`,
  )

/** `condition` is about a `repository` and an `account`. The repositories are locked first, as in `lockedRepository`. */
async function endWatches(tx: Tx, scope: WatchScope, condition: Fragment): Promise<void> {
  const { accounts } = scope
  const among = accounts ? tx`and account.id = any(${[...accounts]}::bigint[])` : tx``
  const chosen =
    'repository' in scope ? tx`repository.id = ${scope.repository}` : tx`repository.owner_id = ${scope.owner}`
  await tx`
    select from forge.repository
    where ${chosen} and state <> 'removing' and exists (
      select from forge.repository_watch
      join forge.account on account.id = account_id
      where repository_id = repository.id ${among} ${condition}
    )
    order by repository.id
    for no key update of repository`
  await tx`
    with watch as (
      delete from forge.repository_watch
      using forge.repository, forge.account
      where ${chosen} and repository.state <> 'removing' and account.id = account_id
        and repository_id = repository.id ${among} ${condition}
    )
    delete from forge.issue_watch
    using forge.issue, forge.repository, forge.account
    where ${chosen} and repository.state <> 'removing' and account.id = account_id
      and issue.id = issue_id and issue.repository_id = repository.id ${among} ${condition}`
}

/** Since when an account watches a repository. */
export const watchOf = (sql: Sql, repository: number, account: number) =>
  firstRow(sql<{ created_at: string }[]>`
    select created_at
    from forge.repository_watch
    where repository_id = ${repository} and account_id = ${account}`)

/** A page of the accounts that watch a repository and may read it. */
export const pageOfWatchers = (sql: Sql, repository: number, paging: Paging) =>
  pageOfReadersIn(sql, sql`forge.repository_watch`, repository, paging)

/** A page of the accounts that subscribed to an issue explicitly and may read it. */
export const pageOfIssueWatchers = (sql: Sql, issue: number, paging: Paging) =>
  pageOfAccountsIn(
    sql,
    sql`
      forge.issue_watch
      where issue_id = ${issue} and is_watching and exists (
        select from forge.issue
        join forge.repository on repository.id = issue.repository_id
        join forge.account on account.id = account_id
        where issue.id = ${issue} and ${mayRead(sql, unitOfIssue(sql))}
      )`,
    paging,
  )

/** Sets whether an account is subscribed to an issue; returns whether that changed. */
export const setIssueWatch = (tx: Tx, issue: number, account: number, isWatching: boolean) =>
  anyRow(tx`
    insert into forge.issue_watch as watch (issue_id, account_id, is_watching)
    values (${issue}, ${account}, ${isWatching})
    on conflict on constraint issue_watch_pkey do update set is_watching = excluded.is_watching
    where watch.is_watching <> excluded.is_watching
    returning issue_id`)

/**
 * Whether an account is notified of an issue: by its explicit choice, else because it watches the repository or took
 * part.
 */
export async function isSubscribed(sql: Sql, issue: number, account: number): Promise<boolean> {
  const row = await firstRow(sql<{ is_subscribed: boolean }[]>`
    select coalesce(
      (select is_watching from forge.issue_watch where issue_id = issue.id and account_id = ${account}),
      issue.poster_id = ${account}
        or exists (
          select from forge.repository_watch
          where repository_id = issue.repository_id and account_id = ${account}
        )
        or exists (
          select from forge.issue_comment
          where issue_id = issue.id and poster_id = ${account}
        ),
      false
    ) as is_subscribed
    from forge.issue
    where id = ${issue}`)
  return row?.is_subscribed ?? false
}
