import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'

/** What was said of commits. The only writer of its table. */

/** From the worst to the best: what a commit comes to is the first one that any of its contexts has. */
export const COMMIT_STATES = ['error', 'failure', 'warning', 'pending', 'success', 'skipped'] as const
export type CommitState = (typeof COMMIT_STATES)[number]

/** A status as it is stored. */
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

/** A repository that has gone in the same moment is told by `commit_status_repository_known`. */
export async function insertStatus(
  tx: Tx,
  { repository, commit, creator }: { repository: number; commit: string; creator: number },
  draft: StatusDraft,
): Promise<StoredStatus> {
  const [row] = await tx<[StoredStatus]>`
    insert into forge.commit_status
      (repository_id, commit_sha, context, state, description, target_url, creator_id, created_at, updated_at)
    values
      (${repository}, ${commit}, ${draft.context}, ${draft.state}, ${draft.description}, ${draft.target_url}, ${creator},
       ${tx.now}, ${tx.now})
    returning ${columns(tx)}`
  return row
}

/** A status that a job has given its commit. */
export type JobStatus = StoredStatus & { repository_id: number }

/**
 * Says of the commits of these jobs what the jobs are by now, where nothing else was said last: whoever comes too late
 * says what is true all the same. Only pushes are told so. `root`: of links, with a slash at its end. Gives what was said.
 */
export async function insertJobStatuses(
  sql: Sql,
  jobs: readonly number[],
  root: string,
  now: Date,
): Promise<JobStatus[]> {
  return await sql<JobStatus[]>`
    insert into forge.commit_status
      (repository_id, commit_sha, context, state, description, target_url, by_bot, created_at, updated_at)
    select repository_id, commit_sha, context, state, description, target_url, true, ${now}, ${now}
    from (
      select job.id, run.repository_id, run.commit_sha,
        left(coalesce(nullif(run.workflow_name, ''), run.workflow_file) || ' / ' || job.name || ' (' || run.event || ')',
          500) as context,
        case job.status when 'success' then 'success' when 'skipped' then 'skipped' when 'failure' then 'failure'
          when 'cancelled' then 'failure' else 'pending' end as state,
        case job.status when 'success' then 'Successful' when 'skipped' then 'Skipped' when 'failure' then 'Failed'
          when 'cancelled' then 'Cancelled' when 'running' then 'Running' when 'cancelling' then 'Being cancelled'
          when 'waiting' then 'Waiting for a runner' else 'Waiting for others' end as description,
        ${root}::text || owner.name || '/' || repository.name || '/actions/runs/' || run.id || '/jobs/' || job.id
          as target_url
      from forge.action_job as job
      join forge.action_run as run on run.id = job.run_id and run.attempt = job.attempt
      join forge.repository on repository.id = run.repository_id
      join forge.account as owner on owner.id = repository.owner_id
      where job.id = any(${[...jobs]}::bigint[]) and run.event = 'push'
    ) as said
    where not exists (
      select
      from (
        select state, description, target_url
        from forge.commit_status as status
        where status.repository_id = said.repository_id and status.commit_sha = said.commit_sha
          and status.context = said.context
        order by id desc
        limit 1
      ) as newest
      where (newest.state::text, newest.description, newest.target_url)
        = (said.state, said.description, said.target_url)
    )
    order by said.id
    returning repository_id, ${columns(sql)}`
}

/** What counts of a commit: the newest status of each context, by name of the context. */
export async function newestStatuses(sql: Sql, repository: number, commit: string): Promise<StoredStatus[]> {
  return await sql<StoredStatus[]>`
    select distinct on (context) ${columns(sql)}
    from forge.commit_status
    where repository_id = ${repository} and commit_sha = ${commit}
    order by context, id desc`
}

/** How a list can be sorted. */
export const STATUS_ORDERS = ['oldest', 'recentupdate', 'leastupdate', 'leastindex', 'highestindex'] as const
type StatusOrder = (typeof STATUS_ORDERS)[number]

/** A page of all that was said of a commit, the newest first unless told. An empty state is any. */
export async function pageOfStatuses(
  sql: Sql,
  { repository, commit, state }: { repository: number; commit: string; state: string },
  order: StatusOrder | undefined,
  paging: Paging,
): Promise<Page<StoredStatus>> {
  const chosen = sql`
    from forge.commit_status
    where repository_id = ${repository} and commit_sha = ${commit} and (${state} = '' or state = ${state})`
  const rows = await sql<({ total: number } & (StoredStatus | { id: null }))[]>`
    select (select count(*) ${chosen}) as total, status.*
    from (select) as always
    left join (
      select ${columns(sql)}
      ${chosen}
      order by ${direction(sql, order)}
      limit ${paging.limit}
      offset ${offsetOf(paging)}
    ) as status on true
    order by ${direction(sql, order)}`
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0, ...paging }
}

/** Rows are never changed, so that the last change is the making, and the index of a list is the place in it. */
function direction(sql: Sql, order: StatusOrder | undefined): Fragment {
  return order === 'oldest' || order === 'leastupdate' || order === 'leastindex' ? sql`id asc` : sql`id desc`
}
