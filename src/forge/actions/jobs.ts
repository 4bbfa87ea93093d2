import * as v from 'valibot'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { counted, json, streamed } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { queryWord } from '../protocol/query.ts'
import { ORDERS, type Order, sortingIn } from '../protocol/sorting.ts'
import { actionsSeen } from '../repos/access.ts'
import { type ForgeContext, route } from '../route.ts'
import { selectionFrom, statusQuery } from './filter.ts'
import { printJob, WorkflowJob, WorkflowJobsList } from './job.shape.ts'
import { type JobFilter, jobInRepository, pageOfJobs, pageOfTasks } from './job-list-store.ts'
import { sendLog } from './job-log.ts'
import { logOfJob } from './job-log-store.ts'
import type { ListScope } from './list-scope-store.ts'
import { runExists } from './run-list-store.ts'
import { everywhere, inOrganization, inRepository, ofUser } from './scopes.ts'
import { ActionTaskResponse, printTask } from './task.shape.ts'

/** Routes that read jobs and tasks. Every attempt of a run has its own jobs. */

const query = {
  status: statusQuery,
  sort: queryWord('id'),
  order: queryWord(...ORDERS),
  ...pageQuery(),
}

const listing = {
  query,
  returns: counted(WorkflowJobsList),
  shared: 'until written',
  handler: listJobs,
} as const

export const listAdminWorkflowJobs = route('GET /admin/actions/jobs', {
  ...listing,
  summary: 'Jobs of all repositories, the oldest first',
  access: everywhere,
  fails: [400, 404, 422],
})

export const getOrgWorkflowJobs = route('GET /orgs/{org}/actions/jobs', {
  ...listing,
  summary: 'Jobs of the repositories of an organization that the caller may see, the oldest first',
  access: inOrganization,
  fails: [400, 422],
})

export const getUserWorkflowJobs = route('GET /user/actions/jobs', {
  ...listing,
  summary: 'Jobs of the repositories of the caller, the oldest first',
  access: ofUser,
  fails: [400, 422],
})

export const listWorkflowJobs = route('GET /repos/{owner}/{repo}/actions/jobs', {
  ...listing,
  summary: 'Jobs of a repository, the oldest first',
  access: inRepository,
  fails: [400, 422],
})

export const listWorkflowRunJobs = route('GET /repos/{owner}/{repo}/actions/runs/{run}/jobs', {
  ...listing,
  summary: 'Jobs of the newest attempt of a run, the oldest first',
  access: inRepository,
  params: { run: id },
  fails: [400, 404, 422],
  handler: (context) => listOfAttempt(context, { run: context.params.run, attempt: 'newest' }),
})

export const listWorkflowRunAttemptJobs = route(
  'GET /repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}/jobs',
  {
    ...listing,
    summary: 'Jobs of one attempt of a run, the oldest first',
    access: inRepository,
    params: { run: id, attempt: id },
    fails: [400, 404, 422],
    handler: (context) => listOfAttempt(context, context.params),
  },
)

export const getWorkflowJob = route('GET /repos/{owner}/{repo}/actions/jobs/{job_id}', {
  summary: 'A job',
  access: actionsSeen(),
  params: { job_id: id },
  fails: [404],
  returns: json(200, WorkflowJob),
  handler: async ({ caller, params, sql, from }) =>
    printJob(found(await jobInRepository(sql, caller.repo.id, params.job_id)), from.host),
})

export const downloadActionsRunJobLogs = route('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
  summary: 'The log of a job, as far as the runner has sent it',
  access: actionsSeen(),
  params: { job_id: id },
  fails: [404],
  returns: streamed(200, v.string(), 'text/plain'),
  handler: async ({ caller, params, sql }) =>
    sendLog(sql, found(await logOfJob(sql, caller.repo.id, params.job_id))),
})

export const ListActionTasks = route('GET /repos/{owner}/{repo}/actions/tasks', {
  summary: 'Tasks of a repository, which are the work of runners on its jobs; the newest job first',
  access: actionsSeen(),
  query: pageQuery(),
  returns: counted(ActionTaskResponse),
  shared: 'until written',
  handler: async ({ caller, query, sql, from }) =>
    mapPage(await pageOfTasks(sql, caller.repo.id, query), (task) => printTask(task, from.host)),
})

type Context<Scope = ListScope> = ForgeContext<
  { scope: Scope },
  { query: Paging & { status: string[]; sort: 'id' | ''; order: Order | '' } }
>

/** @throws Problem 400, 404 no such run, 422 */
async function listOfAttempt(
  context: Context<{ repository: number }>,
  filter: JobFilter,
): Promise<Page<WorkflowJob>> {
  const { repository } = context.caller.scope
  const jobs = await listJobs(context, filter)
  // An existing run may have no matching jobs; only an empty list requires the check that the run exists.
  if (jobs.total === 0 && !(await runExists(context.sql, repository, filter))) throw notFound()
  return jobs
}

/** @throws Problem 400, 422 */
async function listJobs(
  { caller: { scope }, query, sql, from }: Context,
  filter?: JobFilter,
): Promise<Page<WorkflowJob>> {
  const selection = selectionFrom(query.status)
  const { page, limit } = query
  const by = sortingIn(query)?.order ?? 'asc'
  const jobs = await pageOfJobs(sql, { scope, selection, by, paging: { page, limit } }, filter)
  return mapPage(jobs, (job) => printJob(job, from.host))
}
