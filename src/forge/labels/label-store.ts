import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, firstRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { numberIn } from '../protocol/query.ts'
import type { LabelTemplate } from '../templates/label-file.ts'

/** A label as a client describes it. */
interface LabelDraft {
  name: string
  /** Six lower-case hex digits. */
  color: string
  description: string
  /** At most one exclusive label per scope on an issue; the scope is the part of the name before the last `/`. */
  exclusive: boolean
  exclusive_order: number
  is_archived: boolean
}

/** A label of a repository or of an organization as it is stored. Both kinds have ids from one sequence. */
export interface StoredLabel extends LabelDraft {
  id: number
  is_of_organization: boolean
}

/** The owner of labels, by id. */
type LabelOwner = { readonly repository: number } | { readonly organization: number }

const isOrganization = (owner: LabelOwner) => 'organization' in owner

const tableOf = (sql: Sql, owner: LabelOwner) =>
  isOrganization(owner) ? sql`forge.organization_label` : sql`forge.repository_label`

const ownedBy = (sql: Sql, owner: LabelOwner) =>
  'organization' in owner
    ? sql`label.organization_id = ${owner.organization}`
    : sql`label.repository_id = ${owner.repository}`

const labelColumns = (sql: Sql, isOfOrganization: boolean) => sql`
  label.id, label.name, label.color, label.description, label.exclusive, label.exclusive_order, label.is_archived,
  ${isOfOrganization ? sql`true` : sql`false`} as is_of_organization`

/** The labels of an issue, by name, as one JSON array: for `select … from forge.issue as issue`. */
export const labelsOfIssue = (sql: Sql) => sql`
  coalesce((
    select json_agg(label order by label.name collate "C", label.id)
    from (
      select ${labelColumns(sql, false)}
      from forge.issue_label
      join forge.repository_label as label on label.id = issue_label.label_id
      where issue_label.issue_id = issue.id
      union all
      select ${labelColumns(sql, true)}
      from forge.issue_organization_label
      join forge.organization_label as label on label.id = issue_organization_label.label_id
      where issue_organization_label.issue_id = issue.id
    ) as label
  ), '[]')`

/** Ids of the issues of a repository that have a label of a name, once for each such label. */
export const issuesLabelled = (sql: Sql, repository: number, name: Fragment) => sql`
  select issue_label.issue_id as id
  from forge.repository_label as label
  join forge.issue_label on issue_label.label_id = label.id
  where label.repository_id = ${repository} and label.name = ${name}
  union all
  select issue_label.issue_id
  from forge.repository
  join forge.organization_label as label on label.organization_id = repository.owner_id
  join forge.issue_organization_label as issue_label on issue_label.label_id = label.id
  where repository.id = ${repository} and label.name = ${name}`

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
function issuesOf(sql: Sql, owner: LabelOwner, sort: LabelSort): Fragment {
  if (sort !== 'leastissues' && sort !== 'mostissues') return sql`0 as issues`
  const table = isOrganization(owner) ? sql`forge.issue_organization_label` : sql`forge.issue_label`
  return sql`(select count(*) from ${table} where label_id = label.id) as issues`
}

/** A page of the labels of a repository or an organization. */
export const pageOfLabels = (sql: Sql, owner: LabelOwner, sort: LabelSort, paging: Paging) =>
  pageOf<StoredLabel>(sql, paging, {
    from: sql`from ${tableOf(sql, owner)} as label where ${ownedBy(sql, owner)}`,
    columns: sql`${labelColumns(sql, isOrganization(owner))}, ${issuesOf(sql, owner, sort)}`,
    by: orders[sort](sql),
  })

/** Labels that issues of a repository may have, by their ids, in any order. */
export const labelsByIds = (sql: Sql, repository: number, ids: readonly number[]) =>
  allRows(sql<StoredLabel[]>`
    select ${labelColumns(sql, false)}
    from forge.repository_label as label
    where label.repository_id = ${repository} and label.id = any(${[...ids]}::bigint[])
    union all
    select ${labelColumns(sql, true)}
    from forge.repository
    join forge.organization_label as label on label.organization_id = repository.owner_id
    where repository.id = ${repository} and label.id = any(${[...ids]}::bigint[])`)

const labelById = (sql: Sql, owner: LabelOwner, id: number) =>
  firstRow(sql<StoredLabel[]>`
    select ${labelColumns(sql, isOrganization(owner))}
    from ${tableOf(sql, owner)} as label
    where label.id = ${id} and ${ownedBy(sql, owner)}`)

/** The oldest label of this name. */
const labelByName = (sql: Sql, owner: LabelOwner, name: string) =>
  firstRow(sql<StoredLabel[]>`
    select ${labelColumns(sql, isOrganization(owner))}
    from ${tableOf(sql, owner)} as label
    where label.name = ${name} and ${ownedBy(sql, owner)}
    order by label.id
    limit 1`)

/** The label with this id, or of this name if the text is no number. */
export const labelNamed = (sql: Sql, owner: LabelOwner, text: string) =>
  /^[+-]?\d+$/.test(text) ? labelById(sql, owner, numberIn(text)) : labelByName(sql, owner, text)

/**
 * Labels of a repository and of the organization that owns it, by ids and by names; of several that have one name the
 * oldest, those of the repository first. Locks them against deletion, and the
 * repository against another owner, until the transaction ends.
 */
export async function lockLabels(
  tx: Tx,
  repository: number,
  requested: readonly (number | string)[],
): Promise<StoredLabel[]> {
  const ids = requested.filter((each) => typeof each === 'number')
  const names = requested.filter((each) => typeof each === 'string')
  const isNamed = tx`(label.id = any(${ids}::bigint[]) or label.name = any(${names}::text[]))`
  const ofRepository = await allRows(tx<StoredLabel[]>`
    select ${labelColumns(tx, false)}
    from forge.repository_label as label
    where label.repository_id = ${repository} and ${isNamed}
    order by label.id
    for key share`)
  if (requested.every((each) => ofRepository.some(({ id, name }) => id === each || name === each)))
    return ofRepository
  const ofOrganization = await allRows(tx<StoredLabel[]>`
    select ${labelColumns(tx, true)}
    from forge.repository
    join forge.organization_label as label on label.organization_id = repository.owner_id
    where repository.id = ${repository} and ${isNamed}
    order by label.id
    for key share`)
  return [...ofRepository, ...ofOrganization]
}

export const insertLabel = (tx: Tx, owner: LabelOwner, label: LabelDraft) =>
  onlyRow(tx<[StoredLabel]>`
    insert into ${tableOf(tx, owner)} as label
      (${isOrganization(owner) ? tx`organization_id` : tx`repository_id`}, name, color, description, exclusive,
      exclusive_order, is_archived)
    values (${'organization' in owner ? owner.organization : owner.repository}, ${label.name}, ${label.color},
      ${label.description}, ${label.exclusive}, ${label.exclusive_order}, ${label.is_archived})
    returning ${labelColumns(tx, isOrganization(owner))}`)

/** Inserts the initial labels of a new repository. */
export async function insertLabels(
  tx: Tx,
  repository: number,
  labels: readonly Omit<LabelTemplate, 'exclusiveOrder'>[],
): Promise<void> {
  for (const { name, color, description, exclusive } of labels) {
    const row = { name, color, description, exclusive, exclusive_order: 0, is_archived: false }
    await insertLabel(tx, { repository }, row)
  }
}

/** Copies the labels of a repository to another one. */
export async function copyLabels(tx: Tx, { from, to }: { from: number; to: number }): Promise<void> {
  await tx`
    insert into forge.repository_label
      (repository_id, name, color, description, exclusive, exclusive_order, is_archived)
    select ${to}, name, color, description, exclusive, exclusive_order, is_archived
    from forge.repository_label
    where repository_id = ${from}
    order by id`
}

/** Undefined members keep their value. Returns undefined if the owner has no such label. */
export const updateLabel = (
  tx: Tx,
  owner: LabelOwner,
  id: number,
  edit: { readonly [Name in keyof LabelDraft]?: LabelDraft[Name] | undefined },
) =>
  firstRow(tx<StoredLabel[]>`
    update ${tableOf(tx, owner)} as label
    set name = coalesce(${edit.name ?? null}, name), color = coalesce(${edit.color ?? null}, color),
      description = coalesce(${edit.description ?? null}, description),
      exclusive = coalesce(${edit.exclusive ?? null}, exclusive),
      exclusive_order = coalesce(${edit.exclusive_order ?? null}, exclusive_order),
      is_archived = coalesce(${edit.is_archived ?? null}, is_archived)
    where label.id = ${id} and ${ownedBy(tx, owner)}
    returning ${labelColumns(tx, isOrganization(owner))}`)

/** Deletes a label, which all issues lose. Returns it; undefined if the owner has no such label. */
export const deleteLabel = (tx: Tx, owner: LabelOwner, id: number) =>
  firstRow(tx<{ name: string }[]>`
    delete from ${tableOf(tx, owner)} as label
    where label.id = ${id} and ${ownedBy(tx, owner)}
    returning label.name`)

/** Replaces the labels of a locked issue, by ids of labels that are locked too (`lockLabels`). */
export async function replaceLabels(
  tx: Tx,
  { id, repository_id: repository }: { id: number; repository_id: number },
  labels: readonly number[],
): Promise<void> {
  const ids = tx`${[...labels]}::bigint[]`
  await tx`
    with deleted as (
      delete from forge.issue_label
      where issue_id = ${id} and label_id <> all(${ids})
    ), deleted_of_organization as (
      delete from forge.issue_organization_label
      where issue_id = ${id} and label_id <> all(${ids})
    ), added_of_organization as (
      insert into forge.issue_organization_label (issue_id, label_id)
      select ${id}, id
      from forge.organization_label
      where id = any(${ids})
      on conflict on constraint issue_organization_label_pkey do nothing
    )
    insert into forge.issue_label (issue_id, label_id, repository_id)
    select ${id}, id, repository_id
    from forge.repository_label
    where id = any(${ids}) and repository_id = ${repository}
    on conflict on constraint issue_label_pkey do nothing`
}
