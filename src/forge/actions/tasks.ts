import { mapPage, type Paging, pageOf } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { pageQuery } from '../../http/route/page.ts'
import { actionsSeen } from '../repos/access.ts'
import { route } from '../route.ts'
import { ActionTaskResponse, type ListedTask, printTask } from './task.shape.ts'

export const ListActionTasks = route('GET /repos/{owner}/{repo}/actions/tasks', {
  summary: 'The work of runners on jobs of a repository, of the newest job first',
  access: actionsSeen(),
  query: pageQuery(),
  returns: [200, ActionTaskResponse],
  sends: 'counted',
  shared: true,
  handler: async ({ caller, query, sql, from }) =>
    mapPage(await pageOfTasks(sql, caller.repo.id, query), (task) => printTask(task, from.host)),
})

/** Sorted by jobs, of which each has one task at most: they have an index for this, and tasks have none. */
const pageOfTasks = (sql: Sql, repository: number, paging: Paging) =>
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
