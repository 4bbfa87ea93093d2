import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import { type Fragment, type Sql, type Tx, timeText } from '../../db/sql.ts'
import { comparable, literalSearchPattern } from '../protocol/search-pattern.ts'

/** A milestone as it is stored. Times are texts as the connection pool returns them. */
export interface StoredMilestone {
  id: number
  title: string
  description: string
  created_at: string
  updated_at: string
  /** Null: it has no end. */
  due_at: string | null
  /** Null: it is open. */
  closed_at: string | null
  open_issues: number
  closed_issues: number
}

const milestoneColumns = (sql: Sql) => sql`
  milestone.id, milestone.title, milestone.description, milestone.created_at, milestone.updated_at, milestone.due_at,
  milestone.closed_at, milestone.open_issues, milestone.closed_issues`

/** The milestone of an issue as JSON, null for none: for `select … from forge.issue as issue`. */
export const milestoneOfIssue = (sql: Sql) => sql`
  (
    select json_build_object('id', id, 'title', title, 'description', description,
      'created_at', ${timeText(sql, sql`created_at`)}, 'updated_at', ${timeText(sql, sql`updated_at`)},
      'due_at', ${timeText(sql, sql`due_at`)}, 'closed_at', ${timeText(sql, sql`closed_at`)},
      'open_issues', open_issues, 'closed_issues', closed_issues)
    from forge.milestone
    where id = issue.milestone_id
  )`

/** Filter of a list of milestones. */
interface MilestoneFilter {
  state: 'open' | 'closed' | 'all'
  /** Text to find in the title, in any case; "" does not filter. */
  name: string
}

const states: Readonly<Record<MilestoneFilter['state'], (sql: Sql) => Fragment>> = {
  open: (sql) => sql`and closed_at is null`,
  closed: (sql) => sql`and closed_at is not null`,
  all: (sql) => sql``,
}

/** A page of the milestones of a repository, those without an end first, then by the day on which they are due. */
export function pageOfMilestones(
  sql: Sql,
  repository: number,
  { state, name }: MilestoneFilter,
  paging: Paging,
) {
  const search = literalSearchPattern(name)
  const named = search ? sql`and strpos(${comparable(sql, search, sql`title`)}, ${search.text}) > 0` : sql``
  return pageOf<StoredMilestone>(sql, paging, {
    from: sql`from forge.milestone where repository_id = ${repository} ${states[state](sql)} ${named}`,
    columns: milestoneColumns(sql),
    by: sql`order by due_at nulls first, title collate "C", id`,
  })
}

/**
 * A milestone of a repository by its id or, if none has this id, by its title; of several with one title the oldest.
 */
export const milestoneNamed = (sql: Sql, repository: number, { id, title }: { id: number; title: string }) =>
  firstRow(sql<StoredMilestone[]>`
    select ${milestoneColumns(sql)}
    from forge.milestone
    where repository_id = ${repository} and (id = ${id} or title = ${title})
    order by id <> ${id}, id
    limit 1`)

/** The ids of the milestones of a repository that have one of these titles, or else one of these ids. */
export const milestoneIdsNamed = (
  sql: Sql,
  repository: number,
  { titles, ids }: { titles: readonly string[]; ids: readonly number[] },
) =>
  allRows(sql<{ id: number; title: string }[]>`
    select id, title
    from forge.milestone
    where repository_id = ${repository}
      and (title = any(${[...titles]}::text[]) or id = any(${[...ids]}::bigint[]))`)

/** Milestones of a repository by their ids. */
export const milestonesByIds = (sql: Sql, repository: number, ids: readonly number[]) =>
  allRows(sql<StoredMilestone[]>`
    select ${milestoneColumns(sql)}
    from forge.milestone
    where repository_id = ${repository} and id = any(${[...ids]}::bigint[])`)

/** Locks a milestone of a repository against deletion until the transaction ends. False: there is none. */
export const lockMilestone = (tx: Tx, repository: number, id: number) =>
  anyRow(tx`
    select from forge.milestone
    where id = ${id} and repository_id = ${repository}
    for key share`)

/** A new milestone. */
interface MilestoneDraft {
  title: string
  description: string
  due_at: Date | null
  closed: boolean
}

export const insertMilestone = (tx: Tx, repository: number, draft: MilestoneDraft) =>
  onlyRow(tx<[StoredMilestone]>`
    insert into forge.milestone (repository_id, title, description, created_at, updated_at, due_at, closed_at)
    values (${repository}, ${draft.title}, ${draft.description}, ${tx.now}, ${tx.now}, ${draft.due_at},
      ${draft.closed ? tx.now : null})
    returning ${milestoneColumns(tx)}`)

/** New values of a milestone; undefined members keep their value. */
interface MilestoneEdit {
  title: string | undefined
  description: string | undefined
  due_at: Date | null | undefined
  state: 'open' | 'closed' | undefined
}

/** Changes a milestone. A closed one that is closed again keeps its time. */
export const updateMilestone = (tx: Tx, id: number, { title, description, due_at, state }: MilestoneEdit) =>
  firstRow(tx<StoredMilestone[]>`
    update forge.milestone
    set title = coalesce(${title ?? null}, title), description = coalesce(${description ?? null}, description),
      due_at = ${due_at === undefined ? tx`due_at` : tx`${due_at}`},
      closed_at = ${closedAt(tx, state)}, updated_at = ${tx.now}
    where id = ${id}
    returning ${milestoneColumns(tx)}`)

function closedAt(tx: Tx, state: MilestoneEdit['state']): Fragment {
  if (state === undefined) return tx`closed_at`
  return state === 'closed' ? tx`coalesce(closed_at, ${tx.now})` : tx`null`
}

/** Locks all issues of a milestone, until the transaction ends. */
export async function lockIssuesOfMilestone(tx: Tx, milestone: number): Promise<void> {
  await tx`
    select from forge.issue
    where milestone_id = ${milestone}
    order by id
    for no key update`
}

/** Deletes a milestone, which its issues lose. False: another request has deleted it. */
export const deleteMilestone = (tx: Tx, id: number) =>
  anyRow(tx`
    delete from forge.milestone
    where id = ${id}`)
