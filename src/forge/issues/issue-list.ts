import { type Page, type Paging, pageOf } from '../../db/page.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { comparable, searchPattern } from '../protocol/search-pattern.ts'
import { issueColumns, type StoredIssue } from './issue-store.ts'

/** Filter of an issue list; an undefined member does not filter. */
export interface IssueFilter {
  state: 'open' | 'closed' | 'all'
  /** Text to find in the title, the body or a comment; if it is a number, also the number of the issue. */
  q: string
  /** Ids of accounts. */
  poster?: number | undefined
  assignee?: number | undefined
  mentioned?: number | undefined
  /** Last changed at this time or later. */
  from?: Date | undefined
  /** Last changed before this time. */
  until?: Date | undefined
}

/** Filter of the issue list of one repository. */
export interface RepositoryIssueFilter extends IssueFilter {
  repository: number
  /** Names of labels; the issue must have all of them. */
  labels: readonly string[]
}

/** Literal conditions, so that the query for open issues matches its partial index (0010_tracker.sql). */
const states: Readonly<Record<IssueFilter['state'], (sql: Sql) => Fragment>> = {
  open: (sql) => sql`and issue.closed_at is null`,
  closed: (sql) => sql`and issue.closed_at is not null`,
  all: (sql) => sql``,
}

/** The filter as conditions on `forge.issue`, each preceded by `and`. */
export function filterConditions(
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
    ${containsText(sql, q)}`
}

/**
 * The comments are a scalar subquery with a limit: PostgreSQL may turn an `exists` under `or` into a scan of all
 * comments.
 */
function containsText(sql: Sql, q: string): Fragment {
  const search = searchPattern(q)
  if (!search) return sql``
  const { pattern } = search
  const number = /^\d{1,15}$/.test(q.trim()) ? Number(q) : 0
  return sql`
    and (
      issue.number = ${number}
      or ${comparable(sql, search, sql`issue.title`)} like ${pattern} escape ''
      or ${comparable(sql, search, sql`issue.body`)} like ${pattern} escape ''
      or (
        select true
        from forge.issue_comment as comment
        where comment.issue_id = issue.id and ${comparable(sql, search, sql`comment.body`)} like ${pattern} escape ''
        limit 1
      )
    )`
}

const hasAllLabels = (sql: Sql, repository: number, names: readonly string[]) => sql`
  issue.id in (
    select issue_label.issue_id
    from forge.repository_label as label
    join forge.issue_label on issue_label.label_id = label.id
    where label.repository_id = ${repository} and label.name = any(${[...names]}::text[])
    group by issue_label.issue_id
    having count(distinct label.name) = ${new Set(names).size}
  )`

/** A page of the issues of a repository, newest first, with the total; one statement. */
export async function pageOfIssues(
  sql: Sql,
  { repository, labels, ...filter }: RepositoryIssueFilter,
  paging: Paging,
): Promise<Page<StoredIssue>> {
  const matching = sql`
    from forge.issue
    where issue.repository_id = ${repository} ${filterConditions(sql, filter)}
      ${labels.length > 0 ? sql`and ${hasAllLabels(sql, repository, labels)}` : sql``}`
  // A text search is expensive, so it runs once for both the page and the total.
  const isSearch = searchPattern(filter.q) !== undefined
  return await pageOf<StoredIssue>(sql, paging, {
    ...(isSearch && { with: sql`found as materialized (select id, number ${matching})` }),
    from: isSearch ? sql`from found` : matching,
    keys: sql`id`,
    rows: sql`select ${issueColumns(sql)} from page join forge.issue using (id)`,
    by: sql`order by number desc`,
  })
}
