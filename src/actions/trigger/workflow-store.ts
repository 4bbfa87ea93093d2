import type { Sql } from '../../db/sql.ts'

/** Workflows that somebody has switched off. The only writer of their table. */

/** Names of the files that are off in a repository. */
export async function disabledWorkflows(sql: Sql, repository: number): Promise<Set<string>> {
  const rows = await sql<{ workflow_file: string }[]>`
    select workflow_file
    from forge.action_disabled_workflow
    where repository_id = ${repository}`
  return new Set(rows.map(({ workflow_file }) => workflow_file))
}

/** Switches a workflow off; gives whether it was on. */
export async function insertDisabled(sql: Sql, repository: number, file: string): Promise<boolean> {
  const { count } = await sql`
    insert into forge.action_disabled_workflow (repository_id, workflow_file)
    values (${repository}, ${file})
    on conflict on constraint action_disabled_workflow_pkey do nothing`
  return count === 1
}

/** Switches a workflow on; gives whether it was off. */
export async function deleteDisabled(sql: Sql, repository: number, file: string): Promise<boolean> {
  const { count } = await sql`
    delete from forge.action_disabled_workflow
    where repository_id = ${repository} and workflow_file = ${file}`
  return count === 1
}
