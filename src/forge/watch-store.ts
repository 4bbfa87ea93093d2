import type { Sql, Tx } from '../db/sql.ts'
import { offsetOf, type Page, type Place } from '../http/page.ts'
import { type Account, accountColumns } from './account.ts'

/** From now on an account hears of everything in a repository; nothing changes for one that does already. */
export async function insertWatch(tx: Tx, repository: number, account: number): Promise<void> {
  await tx`
    insert into forge.repository_watch (repository_id, account_id, created_at)
    values (${repository}, ${account}, ${tx.now})
    on conflict on constraint repository_watch_pkey do nothing`
}

export async function deleteWatch(sql: Sql, repository: number, account: number): Promise<void> {
  await sql`
    delete from forge.repository_watch
    where repository_id = ${repository} and account_id = ${account}`
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

/** A page of who watches a repository: one statement. */
export async function pageOfWatchers(sql: Sql, repository: number, place: Place): Promise<Page<Account>> {
  const rows = await sql<({ total: number } & (Account | { id: null }))[]>`
    select (select count(*)::bigint from forge.repository_watch where repository_id = ${repository}) as total,
      ${accountColumns(sql)}
    from (select) as always
    left join (
      select account_id
      from forge.repository_watch
      where repository_id = ${repository}
      order by account_id
      limit ${place.limit}
      offset ${offsetOf(place)}
    ) as watch on true
    left join forge.account as account on account.id = watch.account_id
    order by account.id`
  return pageOf(rows, place)
}

/** A page of who wants to hear of an issue by their own choice: one statement. */
export async function pageOfIssueWatchers(sql: Sql, issue: number, place: Place): Promise<Page<Account>> {
  const rows = await sql<({ total: number } & (Account | { id: null }))[]>`
    select (
        select count(*)::bigint
        from forge.issue_watch
        where issue_id = ${issue} and is_watching
      ) as total,
      ${accountColumns(sql)}
    from (select) as always
    left join (
      select account_id
      from forge.issue_watch
      where issue_id = ${issue} and is_watching
      order by account_id
      limit ${place.limit}
      offset ${offsetOf(place)}
    ) as watch on true
    left join forge.account as account on account.id = watch.account_id
    order by account.id`
  return pageOf(rows, place)
}

function pageOf(rows: ({ total: number } & (Account | { id: null }))[], place: Place): Page<Account> {
  const found = rows.flatMap(({ total, ...account }) => (account.id === null ? [] : [account]))
  return { ...place, rows: found, total: rows[0]?.total ?? 0 }
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
