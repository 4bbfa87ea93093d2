import { allRows, anyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** The only writer of disabled workflows. */

/** File names of the disabled workflows of a repository. */
export async function disabledWorkflows(sql: Sql, repository: number): Promise<Set<string>> {
  const rows = await allRows(sql<{ workflow_file: string }[]>`
    select workflow_file
    from forge.action_disabled_workflow
    where repository_id = ${repository}`)
  return new Set(rows.map(({ workflow_file }) => workflow_file))
}

/** Disables a workflow; returns whether it was enabled. */
export const insertDisabled = (tx: Tx, repository: number, file: string) =>
  anyRow(tx`
    insert into forge.action_disabled_workflow (repository_id, workflow_file)
    values (${repository}, ${file})
    on conflict on constraint action_disabled_workflow_pkey do nothing`)

/** Enables a workflow; returns whether it was disabled. */
export const deleteDisabled = (tx: Tx, repository: number, file: string) =>
  anyRow(tx`
    delete from forge.action_disabled_workflow
    where repository_id = ${repository} and workflow_file = ${file}`)

/** Whether a workflow of a repository is disabled. */
export const isDisabled = (sql: Sql, repository: number, file: string) =>
  anyRow(sql`
    select repository_id
    from forge.action_disabled_workflow
    where repository_id = ${repository} and workflow_file = ${file}`)
