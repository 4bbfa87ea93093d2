import * as v from 'valibot'
import { STATUS_WORDS } from '../../actions/run/api-status.ts'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { id } from '../../http/route/values.ts'
import type { Caller } from '../auth/caller.ts'
import { queryWord, queryWords } from '../protocol/query.ts'
import { actionsSeen, type OnRepository } from '../repos/access.ts'
import { type ForgeContext, route } from '../route.ts'
import { scoped } from '../scoped.ts'
import { orderFrom, selectionFrom } from './filter.ts'
import { printJob, WorkflowJob, WorkflowJobsList } from './job.shape.ts'
import { type JobFilter, jobInRepository, pageOfJobs } from './job-list.ts'
import { logOfJob, sendLog } from './job-log.ts'
import type { ListScope } from './list-scope.ts'
import { runExists } from './run-list.ts'
import { listScopes } from './scopes.ts'

/** Routes that read jobs. Every attempt of a run has its own jobs. */

const query = {
  status: queryWords(...STATUS_WORDS),
  sort: queryWord('id'),
  order: queryWord('asc', 'desc'),
  ...pageQuery(),
}

const listing = {
  query,
  returns: [200, WorkflowJobsList],
  sends: 'counted',
  shared: true,
} as const

const lists = scoped(listScopes, (route, { name, Name, whose }) => [
  route('GET /actions/jobs', {
    operationId:
      name === 'repo' ? 'listWorkflowJobs' : `${name === 'admin' ? 'list' : 'get'}${Name}WorkflowJobs`,
    ...listing,
    summary: `Jobs of ${whose}, the oldest first`,
    fails: name === 'admin' ? [400, 404, 422] : [400, 422],
    handler: (context, scope) => listJobs(context, scope),
  }),
])

const listOfRun = route('GET /repos/{owner}/{repo}/actions/runs/{run}/jobs', {
  operationId: 'listWorkflowRunJobs',
  ...listing,
  summary: 'Jobs of the newest attempt of a run, the oldest first',
  access: actionsSeen(),
  params: { run: id },
  fails: [400, 404, 422],
  handler: (context) => listOfAttemptOr404(context, { run: context.params.run, attempt: 'newest' }),
})

const listOfAttempt = route('GET /repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}/jobs', {
  operationId: 'listWorkflowRunAttemptJobs',
  ...listing,
  summary: 'Jobs of one attempt of a run, the oldest first',
  access: actionsSeen(),
  params: { run: id, attempt: id },
  fails: [400, 404, 422],
  handler: (context) => listOfAttemptOr404(context, context.params),
})

const show = route('GET /repos/{owner}/{repo}/actions/jobs/{job_id}', {
  operationId: 'getWorkflowJob',
  summary: 'A job',
  access: actionsSeen(),
  params: { job_id: id },
  fails: [404],
  returns: [200, WorkflowJob],
  handler: async ({ caller, params, sql, from }) =>
    printJob(found(await jobInRepository(sql, caller.repo.id, params.job_id)), from.host),
})

const log = route('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
  operationId: 'downloadActionsRunJobLogs',
  summary: 'The log of a job, as far as it has come',
  access: actionsSeen(),
  params: { job_id: id },
  fails: [404],
  returns: [200, v.string()],
  media: 'text/plain',
  sends: 'stream',
  handler: async ({ caller, params, sql }) =>
    sendLog(sql, found(await logOfJob(sql, caller.repo.id, params.job_id))),
})

export const jobRoutes = [...lists, listOfRun, listOfAttempt, show, log]

type Context<Who = Caller> = ForgeContext<
  Who,
  { query: Paging & { status?: string[] | undefined; sort: string; order: string } }
>

/** @throws Problem 400, 404 no such run, 422 */
async function listOfAttemptOr404(
  context: Context<OnRepository>,
  filter: JobFilter,
): Promise<Page<WorkflowJob>> {
  const repository = context.caller.repo.id
  const jobs = await listJobs(context, { repository }, filter)
  // An existing run may have no matching jobs; only an empty list requires the check that the run exists.
  if (jobs.total === 0 && !(await runExists(context.sql, repository, filter))) throw notFound()
  return jobs
}

/** @throws Problem 400, 422 */
async function listJobs(
  { query, sql, from }: Context,
  scope: ListScope,
  filter?: JobFilter,
): Promise<Page<WorkflowJob>> {
  const selection = selectionFrom(query.status)
  const { page, limit } = query
  const jobs = await pageOfJobs(
    sql,
    { scope, selection, by: orderFrom(query), paging: { page, limit } },
    filter,
  )
  return mapPage(jobs, (job) => printJob(job, from.host))
}
