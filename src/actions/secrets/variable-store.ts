import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, anyRow, firstRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { inScope, type Scope } from './scope-store.ts'

/** A stored variable; it belongs to an account, to a repository or (both null) to the site. */
export interface StoredVariable {
  id: number
  owner_id: number | null
  repository_id: number | null
  name: string
  value: string
  description: string
}

/** A variable to store; the name in upper case. */
export interface VariableDraft extends Pick<StoredVariable, 'name' | 'value'> {
  /** Undefined: that of the present variable, or none. */
  description: string | undefined
}

/** The only writer of variables. */

/** A page of the variables of an owner, a repository or the site, the oldest first. */
export const pageOfVariables = (sql: Sql, scope: Scope, paging: Paging) =>
  pageOf<StoredVariable>(sql, paging, {
    from: sql`from forge.action_variable where ${inScope(sql, scope)}`,
    columns: sql`id, owner_id, repository_id, name, value, description`,
    by: sql`order by id`,
  })

export const variableByName = (sql: Sql, scope: Scope, name: string) =>
  firstRow(sql<StoredVariable[]>`
    select id, owner_id, repository_id, name, value, description
    from forge.action_variable
    where ${inScope(sql, scope)} and name = ${name}`)

/** A name that exists already violates `action_variable_name_unique`. */
export async function insertVariable(tx: Tx, scope: Scope, draft: VariableDraft): Promise<void> {
  await tx`
    insert into forge.action_variable
      (owner_id, repository_id, name, value, description, created_at, updated_at)
    values
      (${scope.owner_id}, ${scope.repository_id}, ${draft.name}, ${draft.value}, ${draft.description ?? ''}, ${tx.now}, ${tx.now})`
}

/** Returns whether the variable existed. A new name that exists already violates `action_variable_name_unique`. */
export const updateVariable = (tx: Tx, scope: Scope, name: string, draft: VariableDraft) =>
  anyRow(tx`
    update forge.action_variable
    set name = ${draft.name}, value = ${draft.value}, description = coalesce(${draft.description ?? null}, description), updated_at = ${tx.now}
    where ${inScope(tx, scope)} and name = ${name}`)

/** Returns whether the variable existed. */
export const deleteVariable = (tx: Tx, scope: Scope, name: string) =>
  anyRow(tx`
    delete from forge.action_variable
    where ${inScope(tx, scope)} and name = ${name}`)

/**
 * The variables for jobs of a repository, by name; those of the repository take precedence over those of its owner, and
 * these over those of the site.
 */
export async function variablesForJobs(
  sql: Sql,
  { owner, repository }: { owner: number; repository: number },
): Promise<Record<string, string>> {
  const rows = await allRows(sql<{ name: string; value: string }[]>`
    select name, value
    from forge.action_variable
    where (owner_id is null and repository_id is null) or owner_id = ${owner} or repository_id = ${repository}
    order by repository_id nulls first, owner_id nulls first, id`)
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}
