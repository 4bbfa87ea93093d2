import type { Sql } from '../../db/sql.ts'

/** The only writer of the events that the workflows of a default branch wait for (`0002_forge.sql`). */

/** Events that start the workflows of the default branch, on which they wait. */
const defaultBranchKinds = ['issues', 'issue_comment', 'pull_request_comment', 'workflow_run'] as const

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

/** Whether an event is about no commit: it starts the workflows of the newest one on the default branch. */
export const startsOnDefault = ({ kind }: { kind: string }): boolean =>
  defaultBranchKinds.some((each) => each === kind)

/** Leaves out the events of default branches that no workflow waits for. A repository without a row may wait for all. */
export async function awaitedOnly<Event extends { repository_id: number; kind: string }>(
  sql: Sql,
  events: readonly Event[],
): Promise<Event[]> {
  const repositories = new Set(events.filter(startsOnDefault).map(({ repository_id }) => repository_id))
  if (repositories.size === 0) return [...events]
  const rows = await sql<{ repository_id: number; events: string[] }[]>`
    select listening.repository_id, listening.events
    from forge.action_listening as listening
    join forge.repository on repository.id = listening.repository_id and repository.default_branch = listening.branch
    where listening.repository_id = any(${[...repositories]}::bigint[])`
  const listening = new Map(rows.map(({ repository_id, events }) => [repository_id, events]))
  return events.filter(
    (event) => !startsOnDefault(event) || (listening.get(event.repository_id)?.includes(event.kind) ?? true),
  )
}
