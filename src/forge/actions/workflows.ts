import { deleteDisabled, insertDisabled } from '../../actions/trigger/workflow-store.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { record } from '../audit/audit-trail.ts'
import { queryFlag } from '../protocol/query.ts'
import { actionsSeen, actionsWritten, type SignedInOnRepository } from '../repos/access.ts'
import { type ForgeContext, route, toolsFor } from '../route.ts'
import { CreateActionWorkflowDispatch } from './actions.option.ts'
import { ActionWorkflow, ActionWorkflowList, RunDetails } from './workflow.shape.ts'
import { dispatchWorkflow } from './workflow-dispatch.ts'
import { workflowOf, workflowsOf } from './workflow-reading.ts'

/** Routes for workflows: the workflow files of the default branch. */

export const ActionsListRepositoryWorkflows = route('GET /repos/{owner}/{repo}/actions/workflows', {
  summary: 'Workflows of a repository',
  access: actionsSeen(),
  fails: [503],
  returns: json(200, ActionWorkflowList),
  handler: async ({ sql, caller, tools, from }) => {
    const workflows = await workflowsOf(sql, toolsFor(from, tools), caller.repo.id, from.host)
    return { workflows, total_count: workflows.length }
  },
})

export const ActionsGetWorkflow = route('GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}', {
  summary: 'A workflow of a repository',
  access: actionsSeen(),
  fails: [404, 503],
  returns: json(200, ActionWorkflow),
  handler: ({ sql, caller, tools, from, params }) =>
    workflowOf(sql, toolsFor(from, tools), caller.repo.id, { name: params.workflow_id, host: from.host }),
})

const switching = {
  access: actionsWritten(),
  fails: [404, 503],
  returns: noBody(204),
} as const

export const ActionsEnableWorkflow = route(
  'PUT /repos/{owner}/{repo}/actions/workflows/{workflow_id}/enable',
  {
    ...switching,
    summary: 'Enable a workflow',
    handler: (context) => switchWorkflow(context, 'enabled'),
  },
)

export const ActionsDisableWorkflow = route(
  'PUT /repos/{owner}/{repo}/actions/workflows/{workflow_id}/disable',
  {
    ...switching,
    summary: 'Disable a workflow: no event starts it',
    handler: (context) => switchWorkflow(context, 'disabled'),
  },
)

export const ActionsDispatchWorkflow = route(
  'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
  {
    summary: 'Start a workflow that has `workflow_dispatch`',
    access: actionsWritten(),
    query: { return_run_details: queryFlag },
    body: CreateActionWorkflowDispatch,
    fails: [403, 404, 422, 503],
    returns: json(200, RunDetails),
    also: [204],
    runsGit: true,
    handler: async (context) => {
      const run = await dispatchWorkflow(context)
      return context.query.return_run_details ? run : new ReplyWith(run, { status: 204 })
    },
  },
)

type Context = ForgeContext<SignedInOnRepository, { params: { workflow_id: string } }>

/** @throws Problem 404 if the default branch has no such workflow */
async function switchWorkflow(context: Context, to: 'enabled' | 'disabled'): Promise<void> {
  const { sql, begin, caller, tools, from, params } = context
  const { id: file } = await workflowOf(sql, toolsFor(from, tools), caller.repo.id, {
    name: params.workflow_id,
    host: from.host,
  })
  await begin(async (tx) => {
    const change = to === 'enabled' ? deleteDisabled : insertDisabled
    if (!(await change(tx, caller.repo.id, file))) return
    const target = { kind: 'workflow', name: `${caller.subject.name}/${caller.repo.name}/${file}` }
    await record(tx, context, { action: `workflow.${to}`, target })
  })
}
