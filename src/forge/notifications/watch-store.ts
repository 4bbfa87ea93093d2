import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import type { Account } from '../accounts/account.ts'
import { pageOfAccounts } from '../accounts/account-page.ts'
import { hasRepository } from '../repos/access-level.ts'

/** An account watches a repository by its own wish; nothing changes for one that does already. */
export async function insertWatch(tx: Tx, repository: number, account: number): Promise<void> {
  await tx`
    with wanted as (
      delete from forge.repository_unwatch
      where repository_id = ${repository} and account_id = ${account}
    )
    insert into forge.repository_watch (repository_id, account_id, created_at)
    values (${repository}, ${account}, ${tx.now})
    on conflict on constraint repository_watch_pkey do nothing`
}

/** An account does not watch a repository any more, and does not begin to do so automatically. */
export async function deleteWatch(sql: Sql, repository: number, account: number): Promise<void> {
  await sql`
    with gone as (
      delete from forge.repository_watch
      where repository_id = ${repository} and account_id = ${account}
    )
    insert into forge.repository_unwatch (repository_id, account_id)
    values (${repository}, ${account})
    on conflict on constraint repository_unwatch_pkey do nothing`
}

/** An account watches a repository automatically, unless it has said that it does not want to. */
export async function watchAutomatically(tx: Tx, repository: number, account: number): Promise<void> {
  await insertWatches(
    tx,
    tx`
      from forge.repository
      cross join forge.account
      where repository.id = ${repository} and account.id = ${account}`,
  )
}

/** Which members of teams are to watch what: those who have one repository, those of one team, or one of them. */
interface TeamWatch {
  repository?: number
  team?: number
  account?: number
}

/**
 * Members of teams watch the repositories of their teams automatically, unless they have said that they do not want to.
 * Call it after the change that gave the team the repository, or the account the team.
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
 * Adds a watch for each pair of `repository` and `account`. The accounts are locked: one that is deleted at the same time
 * is left out, where the reference to it would refuse the whole statement.
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

/** Since when an account watches a repository. */
export async function watchOf(
  sql: Sql,
  repository: number,
  account: number,
): Promise<{ created_at: string } | undefined> {
  const [watch] = await sql<{ created_at: string }[]>`
    select created_at
    from forge.repository_watch
    where repository_id = ${repository} and account_id = ${account}`
  return watch
}

/** A page of who watches a repository. */
export function pageOfWatchers(sql: Sql, repository: number, paging: Paging): Promise<Page<Account>> {
  return pageOf(sql, sql`from forge.repository_watch where repository_id = ${repository}`, paging)
}

/** A page of who wants to hear of an issue by their own choice. */
export function pageOfIssueWatchers(sql: Sql, issue: number, paging: Paging): Promise<Page<Account>> {
  return pageOf(sql, sql`from forge.issue_watch where issue_id = ${issue} and is_watching`, paging)
}

function pageOf(sql: Sql, those: Fragment, paging: Paging): Promise<Page<Account>> {
  const page = sql`
    select account_id as id ${those} order by account_id limit ${paging.limit} offset ${offsetOf(paging)}`
  return pageOfAccounts(
    sql,
    { page, total: sql`(select count(*)::bigint ${those})`, by: sql`order by id` },
    paging,
  )
}

/** Says whether an account wants to hear of an issue, and gives whether that is news. */
export async function setIssueWatch(
  sql: Sql,
  issue: number,
  account: number,
  isWatching: boolean,
): Promise<boolean> {
  const rows = await sql`
    insert into forge.issue_watch as kept (issue_id, account_id, is_watching)
    values (${issue}, ${account}, ${isWatching})
    on conflict on constraint issue_watch_pkey do update set is_watching = excluded.is_watching
    where kept.is_watching <> excluded.is_watching
    returning issue_id`
  return rows.length > 0
}

/** Whether an account hears of an issue: as it has said, else because it watches the repository or took part. */
export async function hearsOfIssue(sql: Sql, issue: number, account: number): Promise<boolean> {
  const [row] = await sql<{ hears: boolean }[]>`
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
    ) as hears
    from forge.issue
    where id = ${issue}`
  return row?.hears ?? false
}
