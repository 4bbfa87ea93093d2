import { type Paging, pageOf } from '../../db/page.ts'
import { firstRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import type { LabelTemplate } from '../misc/templates/label-file.ts'

/** A label of a repository as it is stored. */
export interface StoredLabel {
  id: number
  name: string
  /** Six lower-case hex digits. */
  color: string
  description: string
  /** At most one exclusive label per scope on an issue; the scope is the part of the name before the last `/`. */
  exclusive: boolean
  exclusive_order: number
  is_archived: boolean
}

const labelColumns = (sql: Sql) => sql`
  label.id, label.name, label.color, label.description, label.exclusive, label.exclusive_order, label.is_archived`

/** The labels of an issue, by name, as one JSON array: for `select … from forge.issue as issue`. */
export const labelsOfIssue = (sql: Sql) => sql`
  coalesce((
    select json_agg(json_build_object('id', label.id, 'name', label.name, 'color', label.color,
      'description', label.description, 'exclusive', label.exclusive, 'exclusive_order', label.exclusive_order,
      'is_archived', label.is_archived) order by label.name collate "C", label.id)
    from forge.issue_label
    join forge.repository_label as label on label.id = issue_label.label_id
    where issue_label.issue_id = issue.id
  ), '[]')`

/** The sort orders of a label list. */
export const LABEL_SORTS = ['alphabetically', 'reversealphabetically', 'leastissues', 'mostissues'] as const
type LabelSort = (typeof LABEL_SORTS)[number]

const orders: Readonly<Record<LabelSort, (sql: Sql) => Fragment>> = {
  alphabetically: (sql) => sql`order by name collate "C", id`,
  reversealphabetically: (sql) => sql`order by name collate "C" desc, id desc`,
  leastissues: (sql) => sql`order by issues, name collate "C", id`,
  mostissues: (sql) => sql`order by issues desc, name collate "C", id`,
}

/** The number of issues with a label as column `issues`; counted only if the list is sorted by it. */
const issuesOf = (sql: Sql, sort: LabelSort) =>
  sort === 'leastissues' || sort === 'mostissues'
    ? sql`(select count(*) from forge.issue_label where label_id = label.id) as issues`
    : sql`0 as issues`

/** A page of the labels of a repository. */
export const pageOfLabels = (sql: Sql, repository: number, sort: LabelSort, paging: Paging) =>
  pageOf<StoredLabel>(sql, paging, {
    from: sql`from forge.repository_label as label where repository_id = ${repository}`,
    columns: sql`${labelColumns(sql)}, ${issuesOf(sql, sort)}`,
    by: orders[sort](sql),
  })

export const labelById = (sql: Sql, repository: number, id: number) =>
  firstRow(sql<StoredLabel[]>`
    select ${labelColumns(sql)}
    from forge.repository_label as label
    where id = ${id} and repository_id = ${repository}`)

/**
 * Labels of a repository by ids and by names; for a name that several labels have, the oldest one. Locks the labels
 * against deletion until the transaction ends.
 */
export async function lockLabels(
  tx: Tx,
  repository: number,
  wanted: readonly (number | string)[],
): Promise<StoredLabel[]> {
  const ids = wanted.filter((each) => typeof each === 'number')
  const names = wanted.filter((each) => typeof each === 'string')
  return await tx<StoredLabel[]>`
    select ${labelColumns(tx)}
    from forge.repository_label as label
    where repository_id = ${repository} and (id = any(${ids}::bigint[]) or id in (
      select min(id)
      from forge.repository_label
      where repository_id = ${repository} and name = any(${names}::text[])
      group by name
    ))
    order by id
    for key share`
}

export const insertLabel = (tx: Tx, repository: number, label: Omit<StoredLabel, 'id'>) =>
  onlyRow(tx<[StoredLabel]>`
    insert into forge.repository_label as label
      (repository_id, name, color, description, exclusive, exclusive_order, is_archived)
    values (${repository}, ${label.name}, ${label.color}, ${label.description}, ${label.exclusive},
      ${label.exclusive_order}, ${label.is_archived})
    returning ${labelColumns(tx)}`)

/** Inserts the initial labels of a new repository. */
export async function insertLabels(
  tx: Tx,
  repository: number,
  labels: readonly Omit<LabelTemplate, 'exclusiveOrder'>[],
): Promise<void> {
  for (const { name, color, description, exclusive } of labels) {
    const row = { name, color, description, exclusive, exclusive_order: 0, is_archived: false }
    await insertLabel(tx, repository, row)
  }
}

/** Undefined members keep their value. Returns undefined if the repository has no such label. */
export const updateLabel = (
  tx: Tx,
  repository: number,
  id: number,
  edit: { readonly [Name in keyof Omit<StoredLabel, 'id'>]?: StoredLabel[Name] | undefined },
) =>
  firstRow(tx<StoredLabel[]>`
    update forge.repository_label as label
    set name = coalesce(${edit.name ?? null}, name), color = coalesce(${edit.color ?? null}, color),
      description = coalesce(${edit.description ?? null}, description),
      exclusive = coalesce(${edit.exclusive ?? null}, exclusive),
      exclusive_order = coalesce(${edit.exclusive_order ?? null}, exclusive_order),
      is_archived = coalesce(${edit.is_archived ?? null}, is_archived)
    where id = ${id} and repository_id = ${repository}
    returning ${labelColumns(tx)}`)

/** Deletes a label of a repository and removes it from all issues. Does nothing if the repository has no such label. */
export async function deleteLabel(tx: Tx, repository: number, id: number): Promise<void> {
  await tx`
    delete from forge.repository_label
    where id = ${id} and repository_id = ${repository}`
}
