import type { Selection } from '../../actions/run/status-words.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { offsetOf, type Paging } from '../../http/route/page.ts'
import { levelIn } from '../repos/access-level.ts'

/** Whose runs and jobs a list shows: those of all repositories, of what an account owns now, or of one repository. */
export type Reach =
  | 'everything'
  | { repository: number }
  | {
      owner: number
      /** Whose eyes it is seen with: of what is private only where this account may read Actions. Null: all is seen. */
      reader: number | null
      /** Nothing that is private. */
      publicOnly: boolean
    }

/** A list of rows of Actions: `job` or `run`. */
export interface Listing {
  row: 'job' | 'run'
  reach: Reach
  /** Undefined: whatever they are. */
  selection: Selection | undefined
  /** Of runs: what caused them. */
  event?: string | undefined
  /** Further conditions, each beginning with "and". Undefined where there are none: then the total is kept. */
  more?: Fragment | undefined
  by: 'asc' | 'desc'
  paging: Paging
}

/** Rows that are alike in how they are found: by their statuses, and perhaps whether an approval is awaited. */
interface Part {
  statuses: readonly string[] | undefined
  awaited?: boolean
}

/**
 * The ids of a page, and the total. Where there are several repositories or statuses, as many rows as may be on the page
 * are taken from the index of each, in order, and merged: nothing else is read, however many rows there are. Totals are
 * kept, but for what further conditions leave, which is counted.
 */
export function pageIn(sql: Sql, listing: Listing): { ids: Fragment; total: Fragment } {
  const { by, paging } = listing
  const parts = partsOf(listing.selection)
  const first = offsetOf(paging)
  const union = (selects: readonly Fragment[], word: Fragment) =>
    selects.reduce((all, each) => sql`${all} ${word} ${each}`)
  const heads = parts.map((part) => headsOf(sql, listing, part, first + paging.limit))
  const counts = parts.map((part) =>
    part.awaited === undefined && listing.more === undefined
      ? keptTotal(sql, listing, part)
      : countOf(sql, listing, part),
  )
  const ids = sql`
    select id
    from (${union(heads, sql`union all`)}) as found
    order by id ${direction(sql, by)}
    limit ${paging.limit}
    offset ${first}`
  return { ids, total: sql`(${union(counts, sql`+`)})` }
}

function partsOf(selection: Selection | undefined): Part[] {
  if (!selection) return [{ statuses: undefined }]
  const { statuses, awaited } = selection
  if (awaited === undefined) return [{ statuses }]
  const others = statuses.filter((status) => status !== 'blocked')
  return [...(others.length > 0 ? [{ statuses: others }] : []), { statuses: ['blocked'], awaited }]
}

function headsOf(sql: Sql, listing: Listing, part: Part, most: number): Fragment {
  const { row, reach, by } = listing
  const none = sql``
  return sql`
    select head.id
    from ${reach === 'everything' ? none : sql`(${repositoriesIn(sql, reach)}) as home,`}
      ${part.statuses ? sql`unnest(${[...part.statuses]}::text[]) as wanted (status),` : none}
      lateral (
        select id
        from forge.${tableOf(sql, row)}
        where true
          ${reach === 'everything' ? none : sql`and repository_id = home.id`}
          ${part.statuses ? sql`and status = wanted.status` : none}
          ${approval(sql, row, part)}
          ${narrowed(sql, listing)}
        order by id ${direction(sql, by)}
        limit ${most}
      ) as head`
}

/** The numbers of the repositories, or of all of them together (0), and what has not been added to them yet. */
function keptTotal(sql: Sql, { row, reach, event }: Listing, { statuses }: Part): Fragment {
  const which = sql`
    kind = ${row}
      ${statuses ? sql`and status = any(${[...statuses]}::text[])` : sql``}
      ${event === undefined ? sql`` : sql`and event = ${event}`}`
  const home = reach === 'everything' ? sql`` : sql`and repository_id in (${repositoriesIn(sql, reach)})`
  return sql`
    (
      select coalesce(sum(amount), 0)
      from (
        select amount
        from forge.action_tally
        where ${which} ${reach === 'everything' ? sql`and repository_id = 0` : home}
        union all
        select difference
        from forge.action_tally_change
        where ${which} ${home}
      ) as kept
    )::bigint`
}

function countOf(sql: Sql, listing: Listing, part: Part): Fragment {
  const { row, reach } = listing
  return sql`
    (
      select count(*)
      from forge.${tableOf(sql, row)}
      where true
        ${reach === 'everything' ? sql`` : sql`and repository_id in (${repositoriesIn(sql, reach)})`}
        ${part.statuses ? sql`and status = any(${[...part.statuses]}::text[])` : sql``}
        ${approval(sql, row, part)}
        ${narrowed(sql, listing)}
    )`
}

const narrowed = (sql: Sql, { event, more = sql`` }: Listing) =>
  sql`${event === undefined ? sql`` : sql`and event = ${event}`} ${more}`

/** An approval is given to a run, and awaited by its jobs. */
function approval(sql: Sql, row: Listing['row'], { awaited }: Part): Fragment {
  if (awaited === undefined) return sql``
  if (row === 'run') return sql`and needs_approval = ${awaited}`
  return sql`
    and exists (
      select from forge.action_run
      where action_run.id = action_job.run_id and action_run.needs_approval = ${awaited}
    )`
}

/** Owners change, and what an organization shows follows them. */
function repositoriesIn(sql: Sql, reach: Exclude<Reach, 'everything'>): Fragment {
  if ('repository' in reach) return sql`select ${reach.repository}::bigint as id`
  const { owner, reader, publicOnly } = reach
  return sql`
    select repository.id
    from forge.repository
    where repository.owner_id = ${owner} and repository.state = 'ready'
      ${publicOnly ? sql`and not repository.is_private` : sql``}
      ${reader === null ? sql`` : sql`and (not repository.is_private or ${levelIn(sql, sql`${reader}::bigint`, 'repo.actions')} > 0)`}`
}

const tableOf = (sql: Sql, row: Listing['row']) => (row === 'job' ? sql`action_job` : sql`action_run`)
const direction = (sql: Sql, by: Listing['by']) => (by === 'asc' ? sql`asc` : sql`desc`)
