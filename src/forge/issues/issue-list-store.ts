import {
  boundedPage,
  countedTo,
  type Page,
  type Paging,
  pageAmongHits,
  pageIfFilled,
  pageOf,
} from '../../db/page.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { labelNamesOfIssues } from '../labels/label-store.ts'
import { searchPattern } from '../protocol/search-pattern.ts'
import {
  containsText,
  type IssueFilter,
  maxCandidates,
  newestRead,
  numberOf,
  rowConditions,
} from './issue-conditions-store.ts'
import { issueColumns, type StoredIssue } from './issue-store.ts'

/** Filter of the issue list of one repository. */
export interface RepositoryIssueFilter extends IssueFilter {
  repository: number
  /** Names of labels; the issue must have all of them. */
  labels: readonly string[]
  /** Ids of milestones, of which the issue must have one; undefined does not filter. */
  milestones?: readonly number[] | undefined
}

const hasAllLabels = (sql: Sql, repository: number, names: readonly string[]) => sql`
  issue.id in (
    select label.issue_id
    from ${labelNamesOfIssues(sql, repository, names)} as label
    group by label.issue_id
    having count(distinct label.name) = ${new Set(names).size}
  )`

/** The same, asked of one issue after another: with `exists` PostgreSQL would read the labels of all issues. */
const eachHasAllLabels = (sql: Sql, repository: number, names: readonly string[]) => sql`
  not exists (
    select from unnest(${[...names]}::text[]) as wanted (name)
    where (
      select true
      from forge.issue_label
      join forge.repository_label as label on label.id = issue_label.label_id
      where issue_label.issue_id = issue.id and label.name = wanted.name
      limit 1
    ) is null and (
      select true
      from forge.issue_organization_label as issue_label
      join forge.organization_label as label on label.id = issue_label.label_id
      join forge.repository on repository.owner_id = label.organization_id
      where issue_label.issue_id = issue.id and label.name = wanted.name and repository.id = ${repository}
      limit 1
    ) is null
  )`

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

interface ListQuery {
  sql: Sql
  filter: RepositoryIssueFilter
  paging: Paging
  order: IssueOrder
}

/**
 * A page of the issues of a repository: one statement if the list is not filtered but by state, if the first issues fill
 * the page, or if there are not many; otherwise two, and three for a text that the search index has too often.
 */
export async function pageOfIssues(
  sql: Sql,
  filter: RepositoryIssueFilter,
  paging: Paging,
  order: IssueOrder = 'latest',
): Promise<Page<StoredIssue>> {
  const query: ListQuery = { sql, filter, paging, order }
  if (isByNumber(order)) {
    if (!isFiltered(filter)) return pageOfState(query)
    const found = await foundAmongFirst(query)
    if (found) return found
  }
  const search = searchPattern(filter.q)
  if (!search)
    return pageOf<StoredIssue>(sql, paging, { from: filtered(sql, filter), ...rowsOfPage(sql, order) })
  const found = search.hasTrigram ? await foundByTrigrams(query, search.pattern) : undefined
  return found ?? foundAmongAll(query)
}

const isByNumber = (order: IssueOrder) => order === 'latest' || order === 'oldest'

/** Whether a filter asks for more than a state. */
function isFiltered({ repository: _, state: __, q, labels, ...others }: RepositoryIssueFilter): boolean {
  const isNarrowed = Object.values(others).some((value) => value !== undefined)
  return isNarrowed || labels.length > 0 || searchPattern(q) !== undefined
}

/** The numbers come from an index alone. How many issues are open is kept. */
function pageOfState({
  sql,
  filter: { repository, state },
  paging,
  order,
}: ListQuery): Promise<Page<StoredIssue>> {
  return pageOf<StoredIssue>(sql, paging, {
    ...(state === 'open' && {
      total: sql`select open_issues from forge.repository where id = ${repository}`,
    }),
    from: sql`from forge.issue where repository_id = ${repository} ${rowConditions(sql, { state })}`,
    keys: sql`number`,
    rows: sql`
      select ${issueColumns(sql)}
      from page
      join forge.issue on issue.repository_id = ${repository} and issue.number = page.number`,
    by: orders[order](sql).by,
  })
}

/** The issues of somebody are looked up one by one, instead of looking at all of a repository. */
function filtered(sql: Sql, filter: RepositoryIssueFilter): Fragment {
  const { assignee, mentioned, ...others } = filter
  if (assignee !== undefined) {
    const theirs = sql`select issue_id from forge.issue_assignee where account_id = ${assignee}`
    return sql`from ${lookedUp(sql, theirs)} where ${conditionsIn(sql, { ...others, mentioned })}`
  }
  if (mentioned !== undefined) {
    const theirs = sql`select issue_id from forge.issue_mention where account_id = ${mentioned}`
    return sql`from ${lookedUp(sql, theirs)} where ${conditionsIn(sql, others)}`
  }
  return sql`from forge.issue where ${conditionsIn(sql, others)}`
}

const lookedUp = (sql: Sql, related: Fragment) => sql`
    (${related}) as related
    cross join lateral (
      select id, repository_id, number, poster_id, milestone_id, comments_count, updated_at, closed_at
      from forge.issue
      where id = related.issue_id
      offset 0
    ) as issue`

/**
 * Looks at the first issues in the order of the list. Undefined if there are more issues and these do not
 * fill the page.
 */
async function foundAmongFirst({ sql, filter, paging, order }: ListQuery) {
  const maximum = countedTo(paging)
  const read = Math.max(newestRead, 2 * maximum)
  const last = sql`(select last_issue from forge.repository where id = ${filter.repository})`
  const first = order === 'oldest' ? sql`number <= ${read}` : sql`number > ${last} - ${read}::bigint`
  const { hits: isAll, page } = await pageAmongHits<StoredIssue>(sql, paging, {
    with: sql`
      found as materialized (
        select id, number
        from forge.issue
        where ${first} and ${conditionsIn(sql, { ...filter, labels: [] })}
          ${filter.labels.length > 0 ? sql`and ${eachHasAllLabels(sql, filter.repository, filter.labels)}` : sql``}
        ${orders[order](sql).by}
        limit ${maximum + 1}
      )`,
    hits: sql`(${last} <= ${read})::integer`,
    from: sql`from found`,
    ...rowsOfPage(sql, order),
  })
  return pageIfFilled(page, isAll === 1)
}

/** Uses the search index; undefined if the pattern has too many candidates. */
async function foundByTrigrams({ sql, filter, paging, order }: ListQuery, pattern: string) {
  const { repository, q } = filter
  const maximum = isByNumber(order) ? sql`${countedTo(paging) + 1}` : sql`all`
  const { hits, page } = await pageAmongHits<StoredIssue>(sql, paging, {
    with: sql`
      hit as materialized (
        select id, repository_id, number
        from forge.issue_candidates(${pattern}, ${maxCandidates + 1})
      ),
      found as materialized (
        select issue.id, ${orders[order](sql).key}
        from (
          select id, number as place from hit where repository_id = ${repository}
          union
          select id, number from forge.issue where repository_id = ${repository} and number = ${numberOf(q) ?? 0}
          order by place ${order === 'oldest' ? sql`` : sql`desc`}
        ) as wanted
        cross join lateral (
          select id, number, updated_at, comments_count
          from forge.issue
          where issue.id = wanted.id and ${conditionsIn(sql, filter)}
          offset 0
        ) as issue
        limit ${maximum}
      )`,
    hits: sql`select count(*) from hit`,
    from: sql`from found`,
    ...rowsOfPage(sql, order),
  })
  if (hits > maxCandidates) return undefined
  return isByNumber(order) ? boundedPage(page) : page
}

/** Reads the texts of all issues. */
const foundAmongAll = ({ sql, filter, paging, order }: ListQuery) =>
  pageOf<StoredIssue>(sql, paging, {
    with: sql`
      found as materialized (
        select id, ${orders[order](sql).key}
        from forge.issue
        where ${conditionsIn(sql, filter)}
      )`,
    from: sql`from found`,
    ...rowsOfPage(sql, order),
  })

const rowsOfPage = (sql: Sql, order: IssueOrder) => ({
  keys: sql`id`,
  rows: sql`select ${issueColumns(sql)} from page join forge.issue using (id)`,
  by: orders[order](sql).by,
})

const conditionsIn = (sql: Sql, { repository, labels, milestones, ...filter }: RepositoryIssueFilter) => sql`
  issue.repository_id = ${repository} ${rowConditions(sql, filter)}
  ${labels.length > 0 ? sql`and ${hasAllLabels(sql, repository, labels)}` : sql``}
  ${milestones ? sql`and issue.milestone_id = any(${[...milestones]}::bigint[])` : sql``}
  ${containsText(sql, filter.q)}`
