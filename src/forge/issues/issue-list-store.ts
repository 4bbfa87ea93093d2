import { type Page, type Paging, pageAmongHits, pageOf } from '../../db/page.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { labelNamesOfIssues } from '../labels/label-store.ts'
import { searchPattern } from '../protocol/search-pattern.ts'
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
  /** Ids of milestones, of which the issue must have one; undefined does not filter. */
  milestones?: readonly number[] | undefined
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
  return sql`
    and (
      issue.number = ${numberOf(q) ?? 0}
      or forge.fold(issue.title) like ${pattern} escape ''
      or forge.searchable(issue.body) like ${pattern} escape ''
      or (
        select true
        from forge.issue_comment as comment
        where comment.issue_id = issue.id and forge.searchable(comment.body) like ${pattern} escape ''
        limit 1
      )
    )`
}

/** The number of an issue that a search text is; undefined if it is none. */
export const numberOf = (q: string) => (/^\d{1,15}$/.test(q.trim()) ? Number(q) : undefined)

/** With more hits than this, the search index is not worth it: all texts are read instead. */
export const maxHits = 10_000

const hasAllLabels = (sql: Sql, repository: number, names: readonly string[]) => sql`
  issue.id in (
    select label.issue_id
    from ${labelNamesOfIssues(sql, repository, names)} as label
    group by label.issue_id
    having count(distinct label.name) = ${new Set(names).size}
  )`

/** In a repository with fewer issues, reading all of them is cheaper than the search index. */
const fewIssues = 1000

/** In a repository with more issues, no list is sorted by what no index has. */
const mostSorted = 10_000

/** The orders of a list: by number, the newest or the oldest first; by the last change; by the number of comments. */
export const ISSUE_ORDERS = ['latest', 'oldest', 'recentupdate', 'mostcomment'] as const
export type IssueOrder = (typeof ISSUE_ORDERS)[number]

/**
 * Whether the issues of a repository are few enough to be sorted by their last change or comments. (An index for these
 * would make each comment write all index entries of its issue anew, with those of its text.)
 */
export async function isSortable(sql: Sql, repository: number): Promise<boolean> {
  const [row] = await sql<{ is_sortable: boolean }[]>`
    select last_issue <= ${mostSorted} as is_sortable
    from forge.repository
    where id = ${repository}`
  return row?.is_sortable ?? false
}

const orders: Readonly<Record<IssueOrder, (sql: Sql) => { key: Fragment; by: Fragment }>> = {
  latest: (sql) => ({ key: sql`number`, by: sql`order by number desc` }),
  oldest: (sql) => ({ key: sql`number`, by: sql`order by number` }),
  recentupdate: (sql) => ({ key: sql`updated_at, number`, by: sql`order by updated_at desc, number desc` }),
  mostcomment: (sql) => ({
    key: sql`comments_count, number`,
    by: sql`order by comments_count desc, number desc`,
  }),
}

/** A page of the issues of a repository with the total; one statement, two for a search without index. */
export async function pageOfIssues(
  sql: Sql,
  filter: RepositoryIssueFilter,
  paging: Paging,
  order: IssueOrder = 'latest',
): Promise<Page<StoredIssue>> {
  const search = searchPattern(filter.q)
  const indexed = search?.hasTrigram
    ? await foundByTrigrams(sql, filter, search.pattern, { paging, order })
    : undefined
  if (indexed) return indexed
  const matching = sql`from forge.issue where ${conditionsIn(sql, filter)}`
  return await pageOf<StoredIssue>(sql, paging, {
    // A text search is expensive, so it runs once for both the page and the total.
    ...(search && { with: sql`found as materialized (select id, ${orders[order](sql).key} ${matching})` }),
    from: search ? sql`from found` : matching,
    ...rowsOfPage(sql, order),
  })
}

const rowsOfPage = (sql: Sql, order: IssueOrder) => ({
  keys: sql`id`,
  rows: sql`select ${issueColumns(sql)} from page join forge.issue using (id)`,
  by: orders[order](sql).by,
})

const conditionsIn = (sql: Sql, { repository, labels, milestones, ...filter }: RepositoryIssueFilter) => sql`
  issue.repository_id = ${repository} ${filterConditions(sql, filter)}
  ${labels.length > 0 ? sql`and ${hasAllLabels(sql, repository, labels)}` : sql``}
  ${milestones ? sql`and issue.milestone_id = any(${[...milestones]}::bigint[])` : sql``}`

/** Uses the search index; undefined if the repository has few issues, or the pattern too many hits. */
async function foundByTrigrams(
  sql: Sql,
  filter: RepositoryIssueFilter,
  pattern: string,
  { paging, order }: { paging: Paging; order: IssueOrder },
): Promise<Page<StoredIssue> | undefined> {
  const { repository, q } = filter
  const most = maxHits + 1
  const hasMany = sql`(select last_issue > ${fewIssues} from forge.repository where id = ${repository})`
  const { hits, page } = await pageAmongHits<StoredIssue>(sql, paging, {
    with: sql`
      hit as materialized (
        select id
        from forge.issues_like(${pattern}, case when ${hasMany} then ${most}::integer else 0 end) as id
      ),
      found as materialized (
        select issue.id, ${orders[order](sql).key}
        from (
          select id from hit
          union
          select id from forge.issue where repository_id = ${repository} and number = ${numberOf(q) ?? 0}
        ) as wanted
        join forge.issue using (id)
        where ${conditionsIn(sql, { ...filter, q: '' })}
      )`,
    hits: sql`select case when ${hasMany} then count(*) else ${most} end from hit`,
    from: sql`from found`,
    ...rowsOfPage(sql, order),
  })
  return hits > maxHits ? undefined : page
}
