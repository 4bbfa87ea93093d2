import { type Page, pageOf } from '../../db/page.ts'
import { allRows, firstRow } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import type { ListedJob } from './job.shape.ts'
import { type Listing, listOf } from './list-scope-store.ts'

/** Restricts jobs to one attempt of a run: by number, or the newest. */
export interface JobFilter {
  run: number
  attempt: number | 'newest'
}

/** A page of jobs with everything that is shown of them, in one statement. */
export async function pageOfJobs(
  sql: Sql,
  listing: Omit<Listing, 'row' | 'event' | 'more'>,
  filter?: JobFilter,
): Promise<Page<ListedJob>> {
  const more = filter && inAttempt(sql, filter)
  const list = listOf(sql, { row: 'job', more, ...listing })
  return await pageOf<ListedJob>(sql, listing.paging, { ...list, rows: listedJobs(sql, sql`page`) })
}

function inAttempt(sql: Sql, { run, attempt }: JobFilter): Fragment {
  const newest = sql`(select attempt from forge.action_run where id = ${run})`
  return sql`and run_id = ${run} and attempt = ${attempt === 'newest' ? newest : sql`${attempt}::bigint`}`
}

/** The job with this id in a repository. */
export const jobInRepository = (sql: Sql, repository: number, id: number) =>
  firstRow(sql<ListedJob[]>`
    ${listedJobs(sql, sql`(select ${id}::bigint as id) as picked`)}
    where job.repository_id = ${repository}`)

/** Jobs with these ids, in any repository; deleted ones are left out. */
export const jobsByIds = (sql: Sql, ids: readonly number[]) =>
  allRows(sql<ListedJob[]>`
    ${listedJobs(sql, sql`unnest(${[...ids]}::bigint[]) as picked (id)`)}
    order by job.id`)

/**
 * Selects the listed columns of picked jobs. A job copied to a later attempt shows the runner and the steps of its
 * source. Jobs of a repository that is being removed are left out, since it has no owner.
 */
function listedJobs(sql: Sql, picked: Fragment): Fragment {
  return sql`
    select job.id, job.run_id, job.attempt, job.name, job.runs_on, job.status, run.needs_approval, run.commit_sha,
      run.ref, owner.name as owner_name, repository.name as repository_name, task.runner_id, task.runner_name,
      job.created_at, job.started_at, job.stopped_at,
      coalesce(
        (
          select json_agg(json_build_object('number', number, 'name', name, 'status', status,
            'started_at', site.iso(started_at), 'stopped_at', site.iso(stopped_at)) order by number)
          from forge.action_step
          where task_id = task.id
        ),
        '[]'
      ) as steps
    from ${picked}
    join forge.action_job as job using (id)
    join forge.action_run as run on run.id = job.run_id
    join forge.repository on repository.id = job.repository_id
    join forge.account as owner on owner.id = repository.owner_id
    left join forge.action_task as task on task.job_id = coalesce(job.source_job_id, job.id)`
}
