import type { Fragment, Sql } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { searchPattern } from '../protocol/search-pattern.ts'
import { issueColumns, type StoredIssue } from './issue-store.ts'

/** What a list of issues is narrowed to; what is undefined filters nothing. */
export interface IssueFilter {
  state: 'open' | 'closed' | 'all'
  /** Somewhere in the title, the text or a comment; the number, if it is one. */
  q: string
  /** Ids of accounts. */
  poster?: number | undefined
  assignee?: number | undefined
  mentioned?: number | undefined
  /** Changed at this moment or later. */
  from?: Date | undefined
  /** Changed before this moment. */
  until?: Date | undefined
}

/** Which issues of a repository. */
export interface RepositoryIssueFilter extends IssueFilter {
  repository: number
  /** Names of labels, all of which it has. */
  labels: readonly string[]
}

/** Spelled out, so that the open ones meet their index (0010_tracker.sql). */
const states: Readonly<Record<IssueFilter['state'], (sql: Sql) => Fragment>> = {
  open: (sql) => sql`and issue.closed_at is null`,
  closed: (sql) => sql`and issue.closed_at is not null`,
  all: (sql) => sql``,
}

/** The filter as conditions on `forge.issue`, each with `and` before it. */
export function narrowing(
  sql: Sql,
  { state, q, poster, assignee, mentioned, from, until }: IssueFilter,
): Fragment {
  const none = sql``
  return sql`
    ${states[state](sql)}
    ${poster === undefined ? none : sql`and issue.poster_id = ${poster}`}
    ${
      assignee === undefined
        ? none
        : sql`and issue.id in (select issue_id from forge.issue_assignee where account_id = ${assignee})`
    }
    ${
      mentioned === undefined
        ? none
        : sql`and issue.id in (select issue_id from forge.issue_mention where account_id = ${mentioned})`
    }
    ${from ? sql`and issue.updated_at >= ${from}` : none}
    ${until ? sql`and issue.updated_at < ${until}` : none}
    ${holding(sql, q)}`
}

/** A scalar subquery with a limit: an `exists` beside an `or` may be turned into a scan of all comments. */
function holding(sql: Sql, q: string): Fragment {
  const needle = searchPattern(q)
  if (!needle) return sql``
  const { pattern } = needle
  const number = /^\d{1,15}$/.test(q.trim()) ? Number(q) : 0
  return sql`
    and (
      issue.number = ${number}
      or lower(issue.title collate "C") like ${pattern} escape ''
      or lower(issue.body collate "C") like ${pattern} escape ''
      or (
        select true
        from forge.issue_comment as comment
        where comment.issue_id = issue.id and lower(comment.body collate "C") like ${pattern} escape ''
        limit 1
      )
    )`
}

const havingAll = (sql: Sql, repository: number, names: readonly string[]) => sql`
  issue.id in (
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
  { repository, labels, ...filter }: RepositoryIssueFilter,
  paging: Paging,
): Promise<Page<StoredIssue>> {
  const wanted = sql`
    from forge.issue
    where issue.repository_id = ${repository} ${narrowing(sql, filter)}
      ${labels.length > 0 ? sql`and ${havingAll(sql, repository, labels)}` : sql``}`
  // A search reads the texts, so it is made once for both the page and the total.
  const isSearch = searchPattern(filter.q) !== undefined
  const found = isSearch ? sql`with found as materialized (select issue.id, issue.number ${wanted})` : sql``
  const source = isSearch ? sql`from found as issue` : wanted
  const rows = await sql<({ total: number } & (StoredIssue | { id: null }))[]>`
    ${found}
    select (select count(*)::bigint ${source}) as total, issue.*
    from (select) as always
    left join (
      select ${issueColumns(sql)}
      from (
        select issue.id
        ${source}
        order by issue.number desc
        limit ${paging.limit}
        offset ${offsetOf(paging)}
      ) as page
      join forge.issue using (id)
    ) as issue on true
    order by issue.number desc`
  const issues = rows.flatMap(({ total, ...row }) => (row.id === null ? [] : [row]))
  return { rows: issues, total: rows[0]?.total ?? 0, ...paging }
}
