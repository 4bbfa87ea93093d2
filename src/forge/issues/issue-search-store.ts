import { type Page, type Paging, pageAmongHits, pageOf } from '../../db/page.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { searchPattern } from '../protocol/search-pattern.ts'
import { ofTeam } from '../repos/repo-list-store.ts'
import type { Reader } from '../repos/visibility.ts'
import { readableBy } from '../repos/visibility-store.ts'
import { filterConditions, type IssueFilter, maxHits, numberOf } from './issue-list-store.ts'
import { issueColumns, type StoredIssue } from './issue-store.ts'

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

/** An issue with the names of its repository and of its owner. */
interface IssueWithRepository extends StoredIssue {
  repository_name: string
  owner_name: string
}

/**
 * A page of the issues that match a filter and that the reader may see, newest first; one statement, two for a search
 * with too many hits in the index.
 */
export async function pageOfIssuesEverywhere(
  sql: Sql,
  reader: Reader,
  filter: IssueSearchFilter,
  paging: Paging,
): Promise<Page<IssueWithRepository>> {
  const search = searchPattern(filter.q)
  // No index finds the issues of all repositories that have a number.
  if (search?.hasTrigram && numberOf(filter.q) === undefined) {
    const hit = sql`select id from forge.issues_like(${search.pattern}, ${maxHits + 1}) as id`
    const { hits, page } = await pageAmongHits<IssueWithRepository>(sql, paging, {
      ...readable(sql, reader, { ...filter, q: '' }, hit),
      hits: sql`select count(*) from hit`,
    })
    if (hits <= maxHits) return page
  }
  return pageOf<IssueWithRepository>(sql, paging, readable(sql, reader, filter))
}

/** What finds the issues that match a filter, among the ids of `hit` if it is given. */
const readable = (sql: Sql, reader: Reader, filter: IssueSearchFilter, hit?: Fragment) => ({
  with: sql`
    ${hit ? sql`hit as materialized (${hit}),` : sql``}
    found as materialized (
      select issue.id
      from ${hit ? sql`(select distinct id from hit) as wanted join forge.issue using (id)` : sql`forge.issue`}
      join forge.repository on issue.repository_id = repository.id
      where repository.state = 'ready' and coalesce((repository.settings ->> 'has_issues')::boolean, true)
        and ${readableBy(sql, reader, 'repo.issues')} ${conditions(sql, filter)}
    )`,
  from: sql`from found`,
  keys: sql`id`,
  rows: sql`
    select ${issueColumns(sql)}, repository.name as repository_name, owner.name as owner_name
    from page
    join forge.issue using (id)
    join forge.repository on repository.id = issue.repository_id
    join forge.account as owner on owner.id = repository.owner_id`,
  by: sql`order by id desc`,
})

function conditions(sql: Sql, { labels, milestones, owner, team, ...filter }: IssueSearchFilter): Fragment {
  const none = sql``
  return sql`
    ${owner === undefined ? none : sql`and repository.owner_id = ${owner}`}
    ${team === undefined ? none : sql`and ${ofTeam(sql, team)}`}
    ${labels.length > 0 ? sql`and ${hasAnyLabel(sql, labels)}` : none}
    ${milestones.length > 0 ? sql`and ${hasAnyMilestone(sql, milestones)}` : none}
    ${filterConditions(sql, filter)}`
}

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

const hasAnyMilestone = (sql: Sql, titles: readonly string[]) => sql`
  (select title from forge.milestone where id = issue.milestone_id) = any(${[...titles]}::text[])`
