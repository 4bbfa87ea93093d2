import type { Sql } from '../../db/sql.ts'

/** The only writer of the events that the workflows of a default branch wait for (`0065_workflow_listeners.sql`). */

/** Events that start the workflows of the default branch, on which they wait. */
export const defaultBranchKinds = ['issues', 'issue_comment', 'pull_request_comment'] as const

/**
 * Stores which events about issues the workflows of a repository wait for, according to its default branch. Does nothing if
 * the repository was deleted meanwhile.
 */
export async function putListening(
  sql: Sql,
  repository: number,
  { branch, events }: { branch: string; events: readonly string[] },
): Promise<void> {
  await sql`
    insert into forge.action_listening (repository_id, branch, events)
    select id, ${branch}, ${[...events]}::text[]
    from forge.repository
    where id = ${repository}
    for key share
    on conflict on constraint action_listening_pkey do update
    set branch = excluded.branch, events = excluded.events`
}

/** Deletes the rows of repositories whose branches have changed; the next evaluation stores new ones. */
export async function deleteListening(sql: Sql, repositories: readonly number[]): Promise<void> {
  if (repositories.length === 0) return
  await sql`
    delete from forge.action_listening
    where repository_id = any(${[...repositories]}::bigint[])`
}

/** A condition on `repository` and `input`: a workflow may wait for the event, since no row excludes that. */
export const mayListen = (sql: Sql) => sql`
  not exists (
    select
    from forge.action_listening as listening
    where listening.repository_id = repository.id and listening.branch = repository.default_branch
      and not input.kind = any(listening.events)
  )`
