import type { Sql } from '../../db/sql.ts'

/** The only writer of what the workflows of a default branch wait for (`0065_workflow_listeners.sql`). */

/**
 * Says which events about issues the workflows of a repository wait for, as read from its default branch. Does nothing
 * if the repository was deleted meanwhile.
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

/** Forgets it for repositories whose branches have moved, until their files are read again. */
export async function forgetListening(sql: Sql, repositories: readonly number[]): Promise<void> {
  if (repositories.length === 0) return
  await sql`
    delete from forge.action_listening
    where repository_id = any(${[...repositories]}::bigint[])`
}

/** Those of these repositories whose workflows wait for the event, as far as is known: the others need not be looked at. */
export const mayListen = (sql: Sql) => sql`
  not exists (
    select
    from forge.action_listening as listening
    where listening.repository_id = repository.id and listening.branch = repository.default_branch
      and not given.kind = any(listening.events)
  )`
