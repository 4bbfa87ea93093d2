import { type Page, type Paging, pageOf } from '../../db/page.ts'
import { allRows, firstRow } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import type { ListedJob } from './job.shape.ts'
import { type Listing, listOf } from './list-scope-store.ts'
import type { ListedTask } from './task.shape.ts'

/** Restricts jobs to one attempt of a run: by number, or the newest. */
export interface JobFilter {
  run: number
  attempt: number | 'newest'
}

/** A page of jobs with everything that is shown of them, in one statement. */
export function pageOfJobs(
  sql: Sql,
  listing: Omit<Listing, 'row' | 'event' | 'more'>,
  filter?: JobFilter,
): Promise<Page<ListedJob>> {
  const more = filter && inAttempt(sql, filter)
  const list = listOf(sql, { row: 'job', more, ...listing })
  return pageOf<ListedJob>(sql, listing.paging, { ...list, rows: listedJobs(sql, sql`page`) })
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
    select job.id, job.run_id, job.attempt, job.number, job.key, called.uses, job.name, job.runs_on, job.environment, job.environment_url,
      job.status, run.needs_approval, run.commit_sha,
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
    left join forge.action_called_workflow as called on called.run_id = job.run_id and called.number = job.called_number
    left join forge.action_task as task on task.job_id = coalesce(job.source_job_id, job.id)`
}

/** The run, repository and owner of a job. */
export interface Location {
  job: number
  run: number
  attempt: number
  repository: number
  owner: number
}

export const locationsOfJobs = (sql: Sql, jobs: readonly number[]) =>
  allRows(sql<Location[]>`
    select job.id as job, job.run_id as run, job.attempt, job.repository_id as repository, owner_id as owner
    from forge.action_job as job
    join forge.repository on repository.id = job.repository_id and repository.state = 'ready'
    where job.id = any(${[...jobs]}::bigint[])
    order by job.id`)

export const locationOfRun = (sql: Sql, run: number, attempt: number) =>
  allRows(sql<Location[]>`
    select 0::bigint as job, run.id as run, ${attempt}::bigint as attempt, run.repository_id as repository,
      owner_id as owner
    from forge.action_run as run
    join forge.repository on repository.id = run.repository_id and repository.state = 'ready'
    where run.id = ${run}`)

/** The counterpart of a job in another attempt of its run. */
export async function jobInAttempt(sql: Sql, id: number, attempt: number): Promise<number | undefined> {
  const job = await firstRow(sql<{ id: number }[]>`
    select later.id
    from forge.action_job as job
    join forge.action_job as later
      on later.run_id = job.run_id and later.attempt = ${attempt} and later.number = job.number
    where job.id = ${id}`)
  return job?.id
}

/** A page of tasks, sorted by their jobs: these have an index for that, and each has at most one task. */
export const pageOfTasks = (sql: Sql, repository: number, paging: Paging) =>
  pageOf<ListedTask>(sql, paging, {
    from: sql`
      from forge.action_job as job
      join forge.action_task as task on task.job_id = job.id
      where job.repository_id = ${repository}`,
    keys: sql`job.id as job_id, task.id`,
    rows: sql`
      select page.job_id, task.id, job.name, run.ref, run.commit_sha, run.id as run_id, run.number as run_number, run.event,
        run.title, task.status, run.workflow_file, owner.name as owner_name, repository.name as repository_name,
        task.created_at, task.updated_at, task.started_at
      from page
      join forge.action_task as task on task.id = page.id
      join forge.action_job as job on job.id = page.job_id
      join forge.action_run as run on run.id = job.run_id
      join forge.repository on repository.id = job.repository_id
      join forge.account as owner on owner.id = repository.owner_id`,
    by: sql`order by job_id desc`,
  })
