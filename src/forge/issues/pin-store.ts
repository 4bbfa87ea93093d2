import { firstRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** The place of an issue among the pinned ones of its kind, 0 if it is none: for `select … from forge.issue as issue`. */
export const pinOrderOfIssue = (sql: Sql) => sql`
  coalesce((
    select (
      select count(*)
      from forge.issue_pin as earlier
      join forge.issue as other on other.id = earlier.issue_id
      where earlier.repository_id = pin.repository_id and other.is_pull = issue.is_pull
        and (earlier.place, earlier.issue_id) <= (pin.place, pin.issue_id)
    )
    from forge.issue_pin as pin
    where pin.issue_id = issue.id
  ), 0)`

/** The issues of a repository, or its pull requests: each kind has pins of its own. */
interface Kind {
  repository: number
  isPull: boolean
}

/** Ids of the pinned issues of a kind, in their order. */
export async function pinnedIssues(sql: Sql, { repository, isPull }: Kind): Promise<number[]> {
  const rows = await sql<{ issue_id: number }[]>`
    select issue_id
    from forge.issue_pin
    join forge.issue on issue.id = issue_id
    where issue_pin.repository_id = ${repository} and is_pull = ${isPull}
    order by place, issue_id`
  return rows.map(({ issue_id }) => issue_id)
}

/** Replaces the pinned issues of a kind in a locked repository by these, in this order. */
export async function replacePins(
  tx: Tx,
  { repository, isPull }: Kind,
  issues: readonly number[],
): Promise<void> {
  await tx`
    delete from forge.issue_pin
    using forge.issue
    where issue.id = issue_id and issue_pin.repository_id = ${repository} and is_pull = ${isPull}
      and issue_id <> all(${[...issues]}::bigint[])`
  await tx`
    insert into forge.issue_pin (issue_id, repository_id, place)
    select issue_id, ${repository}, place
    from unnest(${[...issues]}::bigint[]) with ordinality as input (issue_id, place)
    on conflict on constraint issue_pin_pkey do update set place = excluded.place`
}

/** Returns the id of an issue, and its kind, and prevents its deletion until the transaction ends. */
export const lockIssueId = (tx: Tx, repository: number, number: number) =>
  firstRow(tx<{ id: number; is_pull: boolean }[]>`
    select id, is_pull
    from forge.issue
    where repository_id = ${repository} and number = ${number}
    for key share`)
