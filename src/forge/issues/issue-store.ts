import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { searchPattern } from '../protocol/search-pattern.ts'
import { labelsOfIssue, type StoredLabel } from './label-store.ts'

/** An issue as it is stored, with what hangs on it. Moments are texts as the pool reads them. */
export interface StoredIssue {
  id: number
  repository_id: number
  number: number
  /** Null: the account has gone. */
  poster_id: number | null
  title: string
  body: string
  comments_count: number
  created_at: string
  updated_at: string
  /** Null: it is open. */
  closed_at: string | null
  /** Ids of accounts. */
  assignees: number[]
  labels: StoredLabel[]
}

const issueColumns = (sql: Sql) => sql`
  issue.id, issue.repository_id, issue.number, issue.poster_id, issue.title, issue.body, issue.comments_count,
  issue.created_at, issue.updated_at, issue.closed_at,
  coalesce((
    select json_agg(account_id order by account_id)
    from forge.issue_assignee
    where issue_id = issue.id
  ), '[]') as assignees,
  ${labelsOfIssue(sql)} as labels`

/** The issue of a repository that has this number. */
export async function issueByNumber(
  sql: Sql,
  repository: number,
  number: number,
): Promise<StoredIssue | undefined> {
  const [issue] = await sql<StoredIssue[]>`
    select ${issueColumns(sql)}
    from forge.issue
    where repository_id = ${repository} and number = ${number}`
  return issue
}

/** The same, locked until the transaction ends: edits of one issue come one after the other. */
export async function lockIssue(
  tx: Tx,
  repository: number,
  number: number,
): Promise<StoredIssue | undefined> {
  // Locked first and read then: what another transaction has hung on it meanwhile is seen.
  await tx`
    select id
    from forge.issue
    where repository_id = ${repository} and number = ${number}
    for no key update`
  return issueByNumber(tx, repository, number)
}

/** Which issues of a repository; what is undefined filters nothing. */
export interface IssueFilter {
  repository: number
  state: 'open' | 'closed' | 'all'
  /** Somewhere in the title. */
  q: string
  /** Names of labels, all of which it has. */
  labels: readonly string[]
  /** Names of accounts in lower case. */
  poster?: string | undefined
  assignee?: string | undefined
  /** Changed at this moment or later. */
  from?: Date | undefined
  /** Changed before this moment. */
  until?: Date | undefined
}

/** Spelled out, so that the open ones meet their index (0010_tracker.sql). */
const states: Readonly<Record<IssueFilter['state'], (sql: Sql) => Fragment>> = {
  open: (sql) => sql`and closed_at is null`,
  closed: (sql) => sql`and closed_at is not null`,
  all: (sql) => sql``,
}

function conditions(
  sql: Sql,
  { repository, state, labels, poster, assignee, ...more }: IssueFilter,
): Fragment {
  const needle = searchPattern(more.q)
  const none = sql``
  return sql`
    repository_id = ${repository} ${states[state](sql)}
    ${needle ? sql`and lower(title) like ${needle.pattern} escape ''` : none}
    ${labels.length > 0 ? sql`and ${havingAll(sql, repository, labels)}` : none}
    ${poster ? sql`and poster_id = (select id from forge.account where key = ${poster})` : none}
    ${
      assignee
        ? sql`and id in (
            select issue_id
            from forge.issue_assignee
            where account_id = (select id from forge.account where key = ${assignee})
          )`
        : none
    }
    ${more.from ? sql`and updated_at >= ${more.from}` : none}
    ${more.until ? sql`and updated_at < ${more.until}` : none}`
}

const havingAll = (sql: Sql, repository: number, names: readonly string[]) => sql`
  id in (
    select issue_label.issue_id
    from forge.repository_label as label
    join forge.issue_label on issue_label.label_id = label.id
    where label.repository_id = ${repository} and label.name = any(${[...names]}::text[])
    group by issue_label.issue_id
    having count(distinct label.name) = ${new Set(names).size}
  )`

/** A page of the issues of a repository, newest first, and how many there are: one statement. */
export async function pageOfIssues(
  sql: Sql,
  filter: IssueFilter,
  paging: Paging,
): Promise<Page<StoredIssue>> {
  const wanted = conditions(sql, filter)
  const rows = await sql<({ total: number } & (StoredIssue | { id: null }))[]>`
    select (select count(*)::bigint from forge.issue where ${wanted}) as total, issue.*
    from (select) as always
    left join (
      select ${issueColumns(sql)}
      from (
        select id, repository_id, number, poster_id, title, body, comments_count, created_at, updated_at, closed_at
        from forge.issue
        where ${wanted}
        order by number desc
        limit ${paging.limit}
        offset ${offsetOf(paging)}
      ) as issue
    ) as issue on true
    order by issue.number desc`
  const found = rows.flatMap(({ total, ...row }) => (row.id === null ? [] : [row]))
  return { rows: found, total: rows[0]?.total ?? 0, ...paging }
}

/** Opens an issue; the next number of the repository is given by a trigger. */
export async function insertIssue(
  tx: Tx,
  draft: { repository_id: number; poster_id: number; title: string; body: string; closed: boolean },
): Promise<{ id: number; number: number }> {
  const [row] = await tx<[{ id: number; number: number }]>`
    insert into forge.issue (repository_id, poster_id, title, body, created_at, updated_at, closed_at)
    values (${draft.repository_id}, ${draft.poster_id}, ${draft.title}, ${draft.body}, ${tx.now}, ${tx.now},
      ${draft.closed ? tx.now : null})
    returning id, number`
  return row
}

/** Changes a locked issue. */
export async function updateIssue(
  tx: Tx,
  id: number,
  next: { title: string; body: string; closed_at: string | Date | null },
): Promise<void> {
  await tx`
    update forge.issue
    set title = ${next.title}, body = ${next.body}, closed_at = ${next.closed_at}, updated_at = ${tx.now}
    where id = ${id}`
}

/** Something happened to an issue that is not written in its row. */
export async function touchIssue(tx: Tx, id: number): Promise<void> {
  await tx`
    update forge.issue
    set updated_at = ${tx.now}
    where id = ${id}`
}

/** Gives a locked issue these assignees and no others. */
export async function replaceAssignees(tx: Tx, issue: number, accounts: readonly number[]): Promise<void> {
  await tx`
    with gone as (
      delete from forge.issue_assignee
      where issue_id = ${issue} and account_id <> all(${[...accounts]}::bigint[])
    )
    insert into forge.issue_assignee (issue_id, account_id)
    select ${issue}, account_id
    from unnest(${[...accounts]}::bigint[]) as account_id
    on conflict on constraint issue_assignee_pkey do nothing`
}

/** Gives a locked issue these labels, which are its repository's, and no others. */
export async function replaceLabels(
  tx: Tx,
  { id, repository_id: repository }: Pick<StoredIssue, 'id' | 'repository_id'>,
  labels: readonly number[],
): Promise<void> {
  await tx`
    with gone as (
      delete from forge.issue_label
      where issue_id = ${id} and label_id <> all(${[...labels]}::bigint[])
    )
    insert into forge.issue_label (issue_id, label_id, repository_id)
    select ${id}, label_id, ${repository}
    from unnest(${[...labels]}::bigint[]) as label_id
    on conflict on constraint issue_label_pkey do nothing`
}
