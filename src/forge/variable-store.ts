import type { Sql, Tx } from '../db/sql.ts'
import { offsetOf, type Page, type Place } from '../http/page.ts'
import { columnsOf, heldBy, type WideHolder } from './holder.ts'

/** A variable as it is stored. Held by an account, by a repository, or (both null) by the site. */
export interface StoredVariable {
  id: number
  owner_id: number | null
  repository_id: number | null
  name: string
  value: string
  description: string
}

/** What is to be kept; the name as `actionName` gives it. */
export type VariableDraft = Pick<StoredVariable, 'name' | 'value' | 'description'>

/** A page of somebody's variables, the oldest first. */
export async function pageOfVariables(
  sql: Sql,
  holder: WideHolder,
  place: Place,
): Promise<Page<StoredVariable>> {
  const rows = await sql<({ total: number } & (StoredVariable | { id: null }))[]>`
    select (select count(*) from forge.action_variable where ${heldBy(sql, holder)}) as total, variable.*
    from (select) as always
    left join (
      select id, owner_id, repository_id, name, value, description
      from forge.action_variable
      where ${heldBy(sql, holder)}
      order by id
      limit ${place.limit}
      offset ${offsetOf(place)}
    ) as variable on true
    order by variable.id`
  return { ...place, rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 }
}

export async function variableByName(
  sql: Sql,
  holder: WideHolder,
  name: string,
): Promise<StoredVariable | undefined> {
  const [variable] = await sql<StoredVariable[]>`
    select id, owner_id, repository_id, name, value, description
    from forge.action_variable
    where ${heldBy(sql, holder)} and name = ${name}`
  return variable
}

/** A name that is taken is refused by `action_variable_name_unique`. */
export async function insertVariable(tx: Tx, holder: WideHolder, draft: VariableDraft): Promise<void> {
  const { owner, repository } = columnsOf(holder)
  await tx`
    insert into forge.action_variable
      (owner_id, repository_id, name, value, description, created_at, updated_at)
    values
      (${owner}, ${repository}, ${draft.name}, ${draft.value}, ${draft.description}, ${tx.now}, ${tx.now})`
}

/** Whether there was one of that name. Another name that is taken is refused by `action_variable_name_unique`. */
export async function updateVariable(
  tx: Tx,
  holder: WideHolder,
  name: string,
  draft: VariableDraft,
): Promise<boolean> {
  const { count } = await tx`
    update forge.action_variable
    set name = ${draft.name}, value = ${draft.value}, description = ${draft.description}, updated_at = ${tx.now}
    where ${heldBy(tx, holder)} and name = ${name}`
  return count === 1
}

/** Whether there was one of that name. */
export async function deleteVariable(tx: Tx, holder: WideHolder, name: string): Promise<boolean> {
  const { count } = await tx`
    delete from forge.action_variable
    where ${heldBy(tx, holder)} and name = ${name}`
  return count === 1
}

/** What jobs of a repository are given, by name: the variables of the site, of its owner and its own; the nearest wins. */
export async function variablesReaching(
  sql: Sql,
  { owner, repository }: { owner: number; repository: number },
): Promise<Record<string, string>> {
  const rows = await sql<{ name: string; value: string }[]>`
    select name, value
    from forge.action_variable
    where (owner_id is null and repository_id is null) or owner_id = ${owner} or repository_id = ${repository}
    order by repository_id nulls first, owner_id nulls first, id`
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}
