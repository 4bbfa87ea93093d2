import { anyRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'

/** The only writer of the events that the workflows of a default branch wait for (`0002_forge.sql`). */

/** Events that start the workflows of the default branch, on which they wait. */
export const defaultBranchKinds = ['issues', 'issue_comment', 'pull_request_comment', 'workflow_run'] as const

/**
 * Stores which of these events the workflows of a repository wait for, according to its default branch. Does nothing if
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

/** Deletes the rows of branches that have changed; the next evaluation stores new ones. */
export async function deleteListening(
  sql: Sql,
  changes: readonly { repository: number; ref: string }[],
): Promise<void> {
  if (changes.length === 0) return
  await sql`
    delete from forge.action_listening
    using unnest(${changes.map(({ repository }) => repository)}::bigint[], ${changes.map(({ ref }) => ref)}::text[])
      as changed (repository_id, ref)
    where action_listening.repository_id = changed.repository_id and 'refs/heads/' || branch = changed.ref`
}

/** Whether a workflow of a repository may wait for such an event. */
export const isAwaited = (sql: Sql, repository: number, kind: (typeof defaultBranchKinds)[number]) =>
  anyRow(sql`
    select
    from forge.repository
    join (values (${kind}::text)) as input (kind) on true
    where repository.id = ${repository} and ${mayListen(sql)}`)

/** A condition on `repository` and `input`: a workflow may wait for the event, since no row excludes that. */
export const mayListen = (sql: Sql) => sql`
  not exists (
    select
    from forge.action_listening as listening
    where listening.repository_id = repository.id and listening.branch = repository.default_branch
      and not input.kind = any(listening.events)
  )`
