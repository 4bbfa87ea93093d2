import * as v from 'valibot'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { counted, json, streamed } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { type Account, accountByName } from '../accounts/account-store.ts'
import { nameUnknown } from '../accounts/names.ts'
import type { Caller } from '../auth/caller.ts'
import { seesUser } from '../auth/user-visibility.ts'
import { queryFlag, queryText } from '../protocol/query.ts'
import { actionsSeen } from '../repos/access.ts'
import { type ForgeContext, route, toolsFor } from '../route.ts'
import { selectionFrom, statusQuery } from './filter.ts'
import { logsOfRun } from './job-log-store.ts'
import type { ListScope } from './list-scope-store.ts'
import { printRun, WorkflowRun, WorkflowRunsList } from './run.shape.ts'
import { hasRunOf, pageOfRuns, type RunFilter, runExists, runInRepository } from './run-list-store.ts'
import { sendLogs } from './run-log.ts'
import { everywhere, inOrganization, inRepository, ofUser } from './scopes.ts'
import { workflowOf } from './workflow-reading.ts'

/** Routes that read runs. */

const query = {
  event: queryText,
  branch: queryText,
  status: statusQuery,
  actor: queryText,
  head_sha: queryText,
  exclude_pull_requests: queryFlag,
  ...pageQuery(),
}

const listing = {
  query,
  fails: [400, 404],
  returns: counted(WorkflowRunsList),
  shared: 'until written',
  handler: listRuns,
} as const

export const listAdminWorkflowRuns = route('GET /admin/actions/runs', {
  ...listing,
  summary: 'Runs in all repositories, the newest first',
  access: everywhere,
})

export const getOrgWorkflowRuns = route('GET /orgs/{org}/actions/runs', {
  ...listing,
  summary: 'Runs in the repositories of an organization that the caller may see, the newest first',
  access: inOrganization,
})

export const getUserWorkflowRuns = route('GET /user/actions/runs', {
  ...listing,
  summary: 'Runs in the repositories of the caller, the newest first',
  access: ofUser,
})

export const getWorkflowRuns = route('GET /repos/{owner}/{repo}/actions/runs', {
  ...listing,
  summary: 'Runs in a repository, the newest first',
  access: inRepository,
})

export const ActionsListWorkflowRuns = route(
  'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
  {
    ...listing,
    summary: 'Runs of a workflow, the newest first; also of a workflow whose file was deleted',
    access: inRepository,
    fails: [400, 404, 503],
    handler: async (context) => {
      const { caller, params, sql, tools, from } = context
      const { id } = caller.repo
      const runs = await listRuns(context, params.workflow_id)
      if (runs.total === 0 && !(await hasRunOf(sql, id, params.workflow_id)))
        await workflowOf(sql, toolsFor(from, tools), id, { name: params.workflow_id, host: from.host })
      return runs
    },
  },
)

export const GetWorkflowRun = route('GET /repos/{owner}/{repo}/actions/runs/{run}', {
  summary: 'A run with its newest attempt',
  access: actionsSeen(),
  params: { run: id },
  fails: [404],
  returns: json(200, WorkflowRun),
  handler: async ({ caller, params, sql, from }) =>
    printRun(found(await runInRepository(sql, caller.repo.id, params.run)), viewOf(caller, from)),
})

export const getWorkflowRunAttempt = route(
  'GET /repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}',
  {
    summary: 'A run with one of its attempts',
    access: actionsSeen(),
    params: { run: id, attempt: id },
    fails: [404],
    returns: json(200, WorkflowRun),
    handler: async ({ caller, params: { run, attempt }, sql, from }) =>
      printRun(found(await runInRepository(sql, caller.repo.id, run, attempt)), viewOf(caller, from)),
  },
)

export const getWorkflowRunLogs = route('GET /repos/{owner}/{repo}/actions/runs/{run}/logs', {
  summary:
    'The logs of the newest attempt of a run, as a zip archive with one file for each job that has one',
  access: actionsSeen(),
  params: { run: id },
  fails: [404],
  returns: streamed(200, v.pipe(v.string(), v.metadata({ format: 'binary' })), 'application/zip'),
  handler: async ({ caller, params: { run }, sql }) => {
    const logs = await logsOfRun(sql, caller.repo.id, run)
    if (logs.length === 0 && !(await runExists(sql, caller.repo.id, { run, attempt: 'newest' })))
      throw notFound()
    return sendLogs(sql, run, logs)
  },
})

const viewOf = ({ me }: Caller, { host }: { host: string }) => ({ viewer: me, host })

type Context = ForgeContext<
  Caller & { scope: ListScope },
  {
    query: Paging &
      Omit<RunFilter, 'actor'> & { actor: string; status: string[]; exclude_pull_requests: boolean }
  }
>

/** @throws Problem 400, 404 */
async function listRuns(
  { caller, query, sql, from }: Context,
  workflow?: string,
): Promise<Page<WorkflowRun>> {
  const { event, branch, head_sha, page, limit } = query
  const selection = selectionFrom(query.status)
  const actor = await actorOf(sql, query.actor)
  const filter = { event, branch, head_sha, actor: actor?.id, ...(workflow !== undefined && { workflow }) }
  const runs = await pageOfRuns(sql, { scope: caller.scope, selection, paging: { page, limit } }, filter)
  // The name of an invisible account is acknowledged only if the list shows runs of it.
  if (actor && runs.total === 0 && !seesUser(actor, caller)) throw notFound(nameUnknown(query.actor))
  return mapPage(runs, (run) => ({
    ...printRun(run, viewOf(caller, from)),
    ...(query.exclude_pull_requests && { pull_requests: [] }),
  }))
}

/** The account with a name; undefined for an empty name: any actor. @throws Problem 404 */
async function actorOf(sql: Sql, name: string): Promise<Account | undefined> {
  return name === '' ? undefined : found(await accountByName(sql, name), nameUnknown(name))
}
