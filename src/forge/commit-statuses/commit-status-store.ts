import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, firstRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'

/** The only writer of commit statuses. */

/** The states that a context of a commit may report. */
export const COMMIT_STATES = ['error', 'failure', 'warning', 'pending', 'success', 'skipped'] as const
export type CommitState = (typeof COMMIT_STATES)[number]

/** A stored status. */
export interface StoredStatus {
  id: number
  commit_sha: string
  context: string
  state: CommitState
  description: string
  target_url: string
  creator_id: number | null
  by_bot: boolean
  created_at: string
  updated_at: string
}

type StatusDraft = Pick<StoredStatus, 'context' | 'state' | 'description' | 'target_url'>

const columns = (sql: Sql) => sql`
  id, commit_sha, context, state, description, target_url, creator_id, by_bot, created_at, updated_at`

/** A repository deleted in the meantime violates `commit_status_repository_known`. */
export const insertStatus = (
  tx: Tx,
  { repository, commit, creator }: { repository: number; commit: string; creator: number },
  draft: StatusDraft,
) =>
  onlyRow(tx<[StoredStatus]>`
    insert into forge.commit_status
      (repository_id, commit_sha, context, state, description, target_url, creator_id, created_at, updated_at)
    values
      (${repository}, ${commit}, ${draft.context}, ${draft.state}, ${draft.description}, ${draft.target_url}, ${creator},
       ${tx.now}, ${tx.now})
    returning ${columns(tx)}`)

/** Events of workflows whose jobs report statuses. */
const toldEvents = [
  'push',
  'pull_request',
  'pull_request_target',
  'pull_request_review',
  'pull_request_review_comment',
] as const

/** A commit status that was derived from a job. */
export type JobStatus = StoredStatus & { repository_id: number }

/**
 * Inserts commit statuses for the current state of these jobs, unless the newest status says the same; a late call is
 * harmless, since it stores the current state. Only for runs of pushes, and of pull requests on their heads. `root`: base
 * URL of links, with a trailing slash. Returns the inserted statuses.
 */
export const insertJobStatuses = (sql: Sql, jobs: readonly number[], root: string, now: Date) =>
  allRows(sql<JobStatus[]>`
    insert into forge.commit_status
      (repository_id, commit_sha, context, state, description, target_url, by_bot, created_at, updated_at)
    select repository_id, commit_sha, context, state, description, target_url, true, ${now}, ${now}
    from (
      select job.id, run.repository_id,
        case when run.event = 'push' then run.commit_sha else run.payload -> 'pull_request' -> 'head' ->> 'sha' end as commit_sha,
        left(coalesce(nullif(run.workflow_name, ''), run.workflow_file) || ' / ' || job.name || ' (' || run.event || ')',
          500) as context,
        case job.status when 'success' then 'success' when 'skipped' then 'skipped' when 'failure' then 'failure'
          when 'cancelled' then 'failure' else 'pending' end as state,
        case job.status when 'success' then 'Successful' when 'skipped' then 'Skipped' when 'failure' then 'Failed'
          when 'cancelled' then 'Cancelled' when 'in_progress' then 'Running' when 'cancelling' then 'Being cancelled'
          when 'queued' then 'Waiting for a runner' else 'Waiting for others' end as description,
        ${root}::text || owner.name || '/' || repository.name || '/actions/runs/' || run.id || '/jobs/' || job.id
          as target_url
      from forge.action_job as job
      join forge.action_run as run on run.id = job.run_id and run.attempt = job.attempt
      join forge.repository on repository.id = run.repository_id
      join forge.account as owner on owner.id = repository.owner_id
      where job.id = any(${[...jobs]}::bigint[]) and run.event = any(${[...toldEvents]}::text[])
        and (num_nonnulls(job.expansion, job.caller) = 0 or job.payload is not null or job.stopped_at is not null)
        and job.call is null
    ) as draft_status
    where not exists (
      select
      from (
        select state, description, target_url
        from forge.commit_status as status
        where status.repository_id = draft_status.repository_id and status.commit_sha = draft_status.commit_sha
          and status.context = draft_status.context
        order by id desc
        limit 1
      ) as newest
      where (newest.state::text, newest.description, newest.target_url)
        = (draft_status.state, draft_status.description, draft_status.target_url)
    )
    order by draft_status.id
    returning repository_id, ${columns(sql)}`)

/** The newest status of each context of a commit, by name of the context. */
export const newestStatuses = (sql: Sql, repository: number, commit: string) =>
  allRows(sql<StoredStatus[]>`
    select distinct on (context) ${columns(sql)}
    from forge.commit_status
    where repository_id = ${repository} and commit_sha = ${commit}
    order by context, id desc`)

/** The same of several commits. */
export const newestStatusesOf = (sql: Sql, repository: number, commits: readonly string[]) =>
  allRows(sql<StoredStatus[]>`
    select distinct on (commit_sha, context) ${columns(sql)}
    from forge.commit_status
    where repository_id = ${repository} and commit_sha = any(${[...commits]}::text[])
    order by commit_sha, context, id desc`)

/** Sort orders of a list. */
export const STATUS_ORDERS = ['oldest', 'recentupdate', 'leastupdate', 'leastindex', 'highestindex'] as const
type StatusOrder = (typeof STATUS_ORDERS)[number]

/** A page of the statuses of a commit, by default the newest first. An empty state matches any. */
export const pageOfStatuses = (
  sql: Sql,
  { repository, commit, state }: { repository: number; commit: string; state: string },
  order: StatusOrder | undefined,
  paging: Paging,
) =>
  pageOf<StoredStatus>(sql, paging, {
    from: sql`
      from forge.commit_status
      where repository_id = ${repository} and commit_sha = ${commit} and (${state} = '' or state = ${state})`,
    columns: columns(sql),
    by: sql`order by ${direction(sql, order)}`,
  })

/** Rows never change, so the time of update is that of creation, and `index` is the position in the list. */
function direction(sql: Sql, order: StatusOrder | undefined): Fragment {
  return order === 'oldest' || order === 'leastupdate' || order === 'leastindex' ? sql`id asc` : sql`id desc`
}

/** The commit in the payload of the newest push whose run it started; undefined: there is none. */
export const pushedCommit = (sql: Sql, repository: number, sha: string) =>
  firstRow(sql<{ commit: unknown }[]>`
    select payload -> 'head_commit' as commit
    from forge.action_run
    where repository_id = ${repository} and commit_sha = ${sha} and event = 'push'
    order by id desc
    limit 1`)
