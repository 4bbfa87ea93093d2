import {
  boundedPage,
  countedTo,
  type Page,
  type Paging,
  pageAmongHits,
  pageIfFilled,
  pageOf,
} from '../../../db/page.ts'
import type { Fragment, Sql } from '../../../db/sql.ts'
import { searchPattern } from '../../protocol/search-pattern.ts'
import { searchQuery } from '../../protocol/search-query.ts'
import { ofTeam } from '../../repos/repo-filter-store.ts'
import type { Reader } from '../../repos/visibility.ts'
import {
  containsText,
  firstRead,
  type IssueFilter,
  idsOfSomebody,
  maxCandidates,
  numberOf,
  readableIssue,
  rowConditions,
} from '../issue-conditions-store.ts'
import { type IssueWithRepository, issuesWithRepository } from '../issue-store.ts'

/** Filter of the issues of all repositories that a reader may see. */
export interface IssueSearchFilter extends IssueFilter {
  /** Names of labels; the issue must have at least one of them. Empty: not filtered. */
  labels: readonly string[]
  /** Titles of milestones; the issue must have one of them. Empty: not filtered. */
  milestones: readonly string[]
  /** Id of the account that owns the repository. */
  owner?: number | undefined
  /** Id of a team that has access to the repository. */
  team?: number | undefined
}

interface SearchQuery {
  sql: Sql
  reader: Reader
  filter: IssueSearchFilter
  paging: Paging
}

/**
 * A page of the issues that match a filter and that the reader may see, newest first. One statement if the newest issues
 * (of somebody, if the filter names them) fill the page; otherwise a second one for what an index finds, or for all issues.
 */
export async function pageOfIssuesEverywhere(
  sql: Sql,
  reader: Reader,
  filter: IssueSearchFilter,
  paging: Paging,
): Promise<Page<IssueWithRepository>> {
  const query = { sql, reader, filter, paging }
  const theirs = idsOfSomebody(sql, filter)
  if (theirs && filter.q === '')
    return boundedPage((await pageAmong(query, sql`candidate as (${theirs})`)).page)
  const first = theirs ? foundAmongTheirs(query, theirs) : foundAmongNewest(query)
  return (await first) ?? (await foundByIndex(query)) ?? foundAmongAll(query)
}

/** `theirs`: ids of somebody's issues. Undefined if there are more of them and the newest do not fill the page. */
async function foundAmongTheirs(query: SearchQuery, theirs: Fragment) {
  const { sql, paging } = query
  const read = firstRead(paging)
  const { hits, page } = await pageAmong(
    query,
    sql`
      hit as materialized (${theirs} limit ${read + 1}),
      candidate as (select id from hit order by id desc)`,
    sql`select count(*) from hit`,
  )
  return pageIfFilled(page, hits <= read)
}

/** Undefined if there are older issues and the newest do not fill the page. */
async function foundAmongNewest(query: SearchQuery): Promise<Page<IssueWithRepository> | undefined> {
  const { sql, paging } = query
  const last = sql`(select coalesce(max(id), 0) from forge.issue)`
  const read = firstRead(paging)
  const newest = sql`select id from forge.issue where id > ${last} - ${read}::bigint order by id desc`
  const { hits: isAll, page } = await pageAmong(
    query,
    sql`candidate as (${newest})`,
    sql`(${last} <= ${read})::integer`,
  )
  return pageIfFilled(page, isAll === 1)
}

/** Uses the index of texts, labels or milestones; undefined without such a filter, or if a text has too many candidates. */
async function foundByIndex(query: SearchQuery): Promise<Page<IssueWithRepository> | undefined> {
  const { sql, filter } = query
  const { labels, milestones } = filter
  const search = searchPattern(filter.q)
  const maxHits = maxCandidates + 1
  const number = numberOf(filter.q)
  const tsquery = search && searchQuery(search)
  const found = tsquery
    ? sql`
      select id from forge.issues_matching(${tsquery}::tsquery, ${maxHits})
      ${number === undefined ? sql`` : sql`union all select id from forge.issue where number = ${number}`}`
    : milestones.length > 0
      ? sql`select id from forge.issue where milestone_id in (${milestonesCalled(sql, milestones)})`
      : labels.length > 0
        ? issuesLabelled(sql, labels)
        : undefined
  if (!found) return undefined
  const count = sql`select count(*) from hit`
  const { hits, page } = await pageAmong(
    query,
    sql`
      hit as materialized (${found} limit ${search ? 2 * maxHits : null}),
      candidate as (
        select distinct id from hit ${search ? sql`where (${count}) <= ${maxCandidates}` : sql``} order by id desc
      )`,
    search ? count : undefined,
  )
  return hits > maxCandidates ? undefined : boundedPage(page)
}

/** Looks up the issues in the table `candidate` one by one, the newest first, until so many are found as are counted. */
async function pageAmong(query: SearchQuery, candidates: Fragment, hits?: Fragment) {
  const { sql, paging } = query
  return await pageAmongHits<IssueWithRepository>(sql, paging, {
    with: sql`
      ${candidates},
      found as materialized (
        select issue.id
        from candidate
        cross join lateral (
          select issue.id
          from forge.issue
          join forge.repository on repository.id = issue.repository_id
          where issue.id = candidate.id and ${conditions(query)}
          offset 0
        ) as issue
        limit ${countedTo(paging) + 1}
      )`,
    ...(hits && { hits }),
    ...rowsOfPage(sql),
  })
}

function foundAmongAll(query: SearchQuery): Promise<Page<IssueWithRepository>> {
  const { sql, paging } = query
  return pageOf<IssueWithRepository>(sql, paging, {
    with: sql`
      found as materialized (
        select issue.id
        from forge.issue
        join forge.repository on issue.repository_id = repository.id
        where ${conditions(query)}
      )`,
    ...rowsOfPage(sql),
  })
}

const rowsOfPage = (sql: Sql) => ({
  from: sql`from found`,
  keys: sql`id`,
  rows: issuesWithRepository(sql, sql`page join forge.issue using (id)`),
  by: sql`order by id desc`,
})

function conditions({ sql, reader, filter }: SearchQuery): Fragment {
  const none = sql``
  const { labels, milestones, owner, team, q, ...others } = filter
  return sql`
    repository.state = 'ready' and ${readableIssue(sql, reader)}
    ${owner === undefined ? none : sql`and repository.owner_id = ${owner}`}
    ${team === undefined ? none : sql`and ${ofTeam(sql, team)}`}
    ${labels.length > 0 ? sql`and ${hasAnyLabel(sql, labels)}` : none}
    ${milestones.length > 0 ? sql`and issue.milestone_id in (${milestonesCalled(sql, milestones)})` : none}
    ${rowConditions(sql, others)}
    ${containsText(sql, q)}`
}

/** Names are of any length, so the indexes have their digests. */
const isNamed = (sql: Sql, names: readonly string[]) => sql`
  md5(label.name) in (select md5(name) from unnest(${[...names]}::text[]) as name)`

const issuesLabelled = (sql: Sql, names: readonly string[]) => sql`
  select issue_label.issue_id as id
  from forge.repository_label as label
  join forge.issue_label on issue_label.label_id = label.id
  where ${isNamed(sql, names)}
  union all
  select issue_label.issue_id
  from forge.organization_label as label
  join forge.issue_organization_label as issue_label on issue_label.label_id = label.id
  where ${isNamed(sql, names)}`

const hasAnyLabel = (sql: Sql, names: readonly string[]) => sql`
  (
    exists (
      select from forge.issue_label
      join forge.repository_label as label on label.id = issue_label.label_id
      where issue_label.issue_id = issue.id and label.name = any(${[...names]}::text[])
    ) or exists (
      select from forge.issue_organization_label
      join forge.organization_label as label on label.id = issue_organization_label.label_id
      where issue_organization_label.issue_id = issue.id and label.name = any(${[...names]}::text[])
    )
  )`

const milestonesCalled = (sql: Sql, titles: readonly string[]) => sql`
  select id from forge.milestone where title = any(${[...titles]}::text[])`
