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
import { issuesLabelled } from '../labels/label-store.ts'
import { searchPattern } from '../protocol/search-pattern.ts'
import { searchQuery } from '../protocol/search-query.ts'
import {
  containsText,
  firstRead,
  type IssueFilter,
  idsOfSomebody,
  maxCandidates,
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

/**
 * Whether an issue has labels of all names, asked of one issue after another: with `exists`, PostgreSQL would read the labels
 * of all issues. The labels of each name are looked up once.
 */
const hasAllLabels = (sql: Sql, repository: number, names: readonly string[], issue: Fragment) => sql`
  not exists (
    select from (
      select
        array(select id from forge.repository_label where repository_id = ${repository} and name = required.name) as own,
        array(
          select label.id
          from forge.repository
          join forge.organization_label as label on label.organization_id = repository.owner_id
          where repository.id = ${repository} and label.name = required.name
        ) as shared
      from unnest(${[...names]}::text[]) as required (name)
      offset 0
    ) as required
    where (select true from forge.issue_label where issue_id = ${issue} and label_id = any(own) limit 1) is null
      and (
        select true from forge.issue_organization_label where issue_id = ${issue} and label_id = any(shared) limit 1
      ) is null
  )`

/** If a filter narrows a list down to so many issues, these are looked up one by one before anything else is tried. */
const maxFew = 2000

/** In a repository with more issues, no list is sorted by what no index has. */
const maxSorted = 10_000

/** The orders of a list: by number, the newest or the oldest first; by the last change; by the number of comments. */
export const ISSUE_ORDERS = ['latest', 'oldest', 'recentupdate', 'mostcomment'] as const
export type IssueOrder = (typeof ISSUE_ORDERS)[number]

/**
 * Whether the issues of a repository are few enough to be sorted by their last change or comments. (An index for these
 * would make each comment write all index entries of its issue anew, with those of its text.)
 */
export async function isSortable(sql: Sql, repository: number): Promise<boolean> {
  const [row] = await sql<{ is_sortable: boolean }[]>`
    select last_issue <= ${maxSorted} as is_sortable
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
 * A page of the issues of a repository: one statement if the list is not filtered but by state, if it is narrowed down to
 * few issues, or if the first issues fill the page; otherwise up to three, and one more for a text that the search index has
 * too often.
 */
export async function pageOfIssues(
  sql: Sql,
  filter: RepositoryIssueFilter,
  paging: Paging,
  order: IssueOrder = 'latest',
): Promise<Page<StoredIssue>> {
  const query: ListQuery = { sql, filter, paging, order }
  if (isByNumber(order) && !isFiltered(filter)) return pageOfState(query)
  return (
    (await foundAmongFew(query)) ??
    (await foundAmongFirst(query)) ??
    (await foundByIndex(query)) ??
    foundAmongAll(query)
  )
}

const isByNumber = (order: IssueOrder) => order === 'latest' || order === 'oldest'

/** Whether a filter asks for more than a state and a kind. */
function isFiltered({
  repository: _,
  state: __,
  isPull: ___,
  q,
  labels,
  ...others
}: RepositoryIssueFilter): boolean {
  const isNarrowed = Object.values(others).some((value) => value !== undefined)
  return isNarrowed || labels.length > 0 || searchPattern(q) !== undefined
}

/** Reads the numbers from an index alone. */
function pageOfState({
  sql,
  filter: { repository, state, isPull },
  paging,
  order,
}: ListQuery): Promise<Page<StoredIssue>> {
  return pageOf<StoredIssue>(sql, paging, {
    from: sql`from forge.issue where repository_id = ${repository} ${rowConditions(sql, { state, isPull })}`,
    keys: sql`number`,
    rows: sql`
      select ${issueColumns(sql)}
      from page
      join forge.issue on issue.repository_id = ${repository} and issue.number = page.number`,
    by: orders[order](sql).by,
  })
}

/** Ids of issues to which a filter narrows a list down, and what is still to be asked of these. */
interface Narrowed {
  ids: Fragment
  rest: RepositoryIssueFilter
}

/** By milestones, labels or somebody; undefined if the filter narrows to none of these. */
function narrowedBy(sql: Sql, filter: RepositoryIssueFilter): Narrowed | undefined {
  const { repository, milestones, labels } = filter
  if (milestones) {
    const ids = sql`select id from forge.issue where milestone_id = any(${[...milestones]}::bigint[])`
    return { ids, rest: filter }
  }
  if (labels.length > 0)
    return { ids: issuesWithAll(sql, repository, labels), rest: { ...filter, labels: [] } }
  const ids = idsOfSomebody(sql, filter)
  return ids && { ids, rest: filter }
}

/** Ids of the issues with all labels, by the one that the fewest have, of which so many are counted. */
function issuesWithAll(sql: Sql, repository: number, names: readonly string[]): Fragment {
  const [name = '', ...others] = names
  if (others.length === 0) return issuesLabelled(sql, repository, sql`${name}`)
  const labelled = issuesLabelled(sql, repository, sql`required.name`)
  return sql`
    select every.id
    from (
      select name
      from unnest(${[...names]}::text[]) as required (name)
      order by (select count(*) from (select from (${labelled}) as every limit ${maxCandidates}) as counted)
      limit 1
    ) as required
    cross join lateral (${labelled}) as every
    where ${hasAllLabels(sql, repository, names, sql`every.id`)}`
}

/** Looks up the few issues that the filter narrows down to; undefined if these are many or if it does not. */
async function foundAmongFew(query: ListQuery): Promise<Page<StoredIssue> | undefined> {
  const { sql, filter, paging, order } = query
  const narrowed = narrowedBy(sql, filter)
  if (!narrowed) return undefined
  const { ids, rest } = narrowed
  const hits = sql`select count(*) from hit`
  const { hits: found, page } = await pageAmongHits<StoredIssue>(sql, paging, {
    with: sql`
      hit as materialized (${ids} limit ${maxFew + 1}),
      found as materialized (
        ${lookedUp({ ...query, filter: rest }, sql`select distinct id from hit where (${hits}) <= ${maxFew}`)}
      )`,
    hits,
    from: sql`from found`,
    ...rowsOfPage(sql, order),
  })
  return found > maxFew ? undefined : page
}

/** Looks up issues by their ids, one after another, those that match the filter. */
const lookedUp = ({ sql, filter, order }: ListQuery, ids: Fragment) => sql`
  select issue.id, ${orders[order](sql).key}
  from (${ids}) as candidate
  cross join lateral (
    select id, number, updated_at, comments_count
    from forge.issue
    where issue.id = candidate.id and ${conditionsIn(sql, filter)}
    offset 0
  ) as issue`

/**
 * Looks at the first issues in the order of the list, if that is the one of their numbers. Undefined if there are more
 * issues and these do not fill the page.
 */
async function foundAmongFirst({ sql, filter, paging, order }: ListQuery) {
  if (!isByNumber(order)) return undefined
  const read = firstRead(paging)
  const last = sql`(select last_issue from forge.repository where id = ${filter.repository})`
  const first = order === 'oldest' ? sql`number <= ${read}` : sql`number > ${last} - ${read}::bigint`
  const { hits: isAll, page } = await pageAmongHits<StoredIssue>(sql, paging, {
    with: sql`
      found as materialized (
        select id, number
        from forge.issue
        where ${first} and ${conditionsIn(sql, filter)}
        ${orders[order](sql).by}
        limit ${countedTo(paging) + 1}
      )`,
    hits: sql`(${last} <= ${read})::integer`,
    from: sql`from found`,
    ...rowsOfPage(sql, order),
  })
  return pageIfFilled(page, isAll === 1)
}

/** Uses the search index; undefined without a text, or if it has too many candidates. */
async function foundByIndex(query: ListQuery) {
  const { sql, filter, paging, order } = query
  const { repository, q } = filter
  const search = searchPattern(q)
  const tsquery = search && searchQuery(search, repository)
  if (!tsquery) return undefined
  const hits = sql`select count(*) from hit`
  const candidates = sql`
    select id, number as place from hit where (${hits}) <= ${maxCandidates}
    union
    select id, number from forge.issue where repository_id = ${repository} and number = ${numberOf(q) ?? 0}
    order by place ${order === 'oldest' ? sql`` : sql`desc`}`
  const maximum = isByNumber(order) ? sql`${countedTo(paging) + 1}` : sql`all`
  const { hits: found, page } = await pageAmongHits<StoredIssue>(sql, paging, {
    with: sql`
      hit as materialized (
        select id, number
        from forge.issues_matching(${tsquery}::tsquery, ${maxCandidates + 1})
      ),
      found as materialized (${lookedUp(query, candidates)} limit ${maximum})`,
    hits,
    from: sql`from found`,
    ...rowsOfPage(sql, order),
  })
  if (found > maxCandidates) return undefined
  return isByNumber(order) ? boundedPage(page) : page
}

/** Reads all issues, or all that an assignee, a mention or a label narrows them down to. */
function foundAmongAll(query: ListQuery) {
  const { sql, filter, paging, order } = query
  const { milestones, poster } = filter
  const narrowed = narrowedBy(sql, { ...filter, milestones: undefined, poster: undefined })
  const found = narrowed
    ? lookedUp(
        { ...query, filter: { ...narrowed.rest, milestones, poster } },
        sql`select distinct id from (${narrowed.ids}) as every`,
      )
    : sql`select id, ${orders[order](sql).key} from forge.issue where ${conditionsIn(sql, filter)}`
  return pageOf<StoredIssue>(sql, paging, {
    with: sql`found as materialized (${found})`,
    from: sql`from found`,
    ...rowsOfPage(sql, order),
  })
}

const rowsOfPage = (sql: Sql, order: IssueOrder) => ({
  keys: sql`id`,
  rows: sql`select ${issueColumns(sql)} from page join forge.issue using (id)`,
  by: orders[order](sql).by,
})

const conditionsIn = (sql: Sql, { repository, labels, milestones, ...filter }: RepositoryIssueFilter) => sql`
  issue.repository_id = ${repository} ${rowConditions(sql, filter)}
  ${labels.length > 0 ? sql`and ${hasAllLabels(sql, repository, labels, sql`issue.id`)}` : sql``}
  ${milestones ? sql`and issue.milestone_id = any(${[...milestones]}::bigint[])` : sql``}
  ${containsText(sql, filter.q)}`
