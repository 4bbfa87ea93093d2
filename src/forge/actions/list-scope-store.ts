import type { Selection } from '../../actions/run/api-status.ts'
import { countOf, offsetOf, type PagedList, type Paging } from '../../db/page.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { levelIn } from '../permissions/access-level-store.ts'

/** The repositories of a list of runs or jobs: all, those that an account owns now, or one. */
export type ListScope =
  | 'everything'
  | { repository: number }
  | {
      owner: number
      /** Viewer. Private repositories are included only if this account can read their Actions; null: no filtering. */
      viewer: number | null
      /** Excludes private repositories. */
      publicOnly: boolean
    }

/** A list of runs or jobs. */
export interface Listing {
  row: 'job' | 'run'
  scope: ListScope
  /** Undefined: any status. */
  selection: Selection | undefined
  /** For runs: the event that caused them. */
  event?: string | undefined
  /** Further conditions, each beginning with "and". */
  more?: Fragment | undefined
  by: 'asc' | 'desc'
  paging: Paging
}

/** A part of the selection that one condition covers: statuses, and for `blocked` whether an approval is awaited. */
interface Branch {
  statuses: readonly string[] | undefined
  awaited?: boolean
}

/**
 * The ids, the total and the order of a list, for `pageOf`. With several repositories or statuses, takes as many rows
 * as the page can need from the index of each, in order, and merges them: nothing else is read, however many rows there
 * are. They are counted in no order, so that the rows of one repository may be enough.
 */
export function listOf(sql: Sql, listing: Listing): PagedList & { keys: Fragment } {
  const branches = branchesOf(listing.selection)
  const end = offsetOf(listing.paging) + listing.paging.limit
  const union = (selects: readonly Fragment[], operator: Fragment) =>
    selects.reduce((all, each) => sql`${all} ${operator} ${each}`)
  const selects = branches.map((branch) => selectOf(sql, listing, branch, end))
  const counts = branches.map(
    (branch) => sql`(${countOf(sql, listing.paging, rowsOf(sql, listing, branch))})`,
  )
  return {
    from: sql`from (${union(selects, sql`union all`)}) as found`,
    keys: sql`id`,
    total: union(counts, sql`+`),
    by: sql`order by id ${direction(sql, listing.by)}`,
  }
}

function branchesOf(selection: Selection | undefined): Branch[] {
  if (!selection) return [{ statuses: undefined }]
  const { statuses, awaited } = selection
  if (awaited === undefined) return [{ statuses }]
  const others = statuses.filter((status) => status !== 'blocked')
  return [...(others.length > 0 ? [{ statuses: others }] : []), { statuses: ['blocked'], awaited }]
}

function selectOf(sql: Sql, listing: Listing, branch: Branch, maxRows: number): Fragment {
  const { row, scope, by } = listing
  const none = sql``
  return sql`
    select head.id
    from ${scope === 'everything' ? none : sql`(${repositoriesIn(sql, scope)}) as home,`}
      ${branch.statuses ? sql`unnest(${[...branch.statuses]}::text[]) as requested (status),` : none}
      lateral (
        select id
        from forge.${tableOf(sql, row)}
        where true
          ${scope === 'everything' ? none : sql`and repository_id = home.id`}
          ${branch.statuses ? sql`and status = requested.status` : none}
          ${approval(sql, row, branch)}
          ${furtherConditions(sql, listing)}
        order by id ${direction(sql, by)}
        limit ${maxRows}
      ) as head`
}

const rowsOf = (sql: Sql, listing: Listing, branch: Branch): Fragment => sql`
  from forge.${tableOf(sql, listing.row)}
  where true
    ${listing.scope === 'everything' ? sql`` : sql`and repository_id in (${repositoriesIn(sql, listing.scope)})`}
    ${branch.statuses ? sql`and status = any(${[...branch.statuses]}::text[])` : sql``}
    ${approval(sql, listing.row, branch)}
    ${furtherConditions(sql, listing)}`

const furtherConditions = (sql: Sql, { event, more = sql`` }: Listing) =>
  sql`${event === undefined ? sql`` : sql`and event = ${event}`} ${more}`

/** Approval belongs to the run; jobs look it up there. */
function approval(sql: Sql, row: Listing['row'], { awaited }: Branch): Fragment {
  if (awaited === undefined) return sql``
  if (row === 'run') return sql`and needs_approval = ${awaited}`
  return sql`
    and exists (
      select from forge.action_run
      where action_run.id = action_job.run_id and action_run.needs_approval = ${awaited}
    )`
}

/** Evaluated at each query: owners and the visibility of repositories change. */
function repositoriesIn(sql: Sql, scope: Exclude<ListScope, 'everything'>): Fragment {
  if ('repository' in scope) return sql`select ${scope.repository}::bigint as id`
  const { owner, viewer, publicOnly } = scope
  return sql`
    select repository.id
    from forge.repository
    where repository.owner_id = ${owner} and repository.state = 'ready'
      and coalesce((repository.settings ->> 'has_actions')::boolean, not repository.is_template)
      ${publicOnly ? sql`and not repository.is_private` : sql``}
      ${viewer === null ? sql`` : sql`and (not repository.is_private or ${levelIn(sql, sql`${viewer}::bigint`, 'repo.actions')} > 0)`}`
}

const tableOf = (sql: Sql, row: Listing['row']) => (row === 'job' ? sql`action_job` : sql`action_run`)
const direction = (sql: Sql, by: Listing['by']) => (by === 'asc' ? sql`asc` : sql`desc`)
