import type * as v from 'valibot'
import { candidateOf } from '../../actions/run/candidate.ts'
import { maxChain, startRuns } from '../../actions/run/start.ts'
import { StartError } from '../../actions/run/start-error.ts'
import { disabledWorkflows } from '../../actions/trigger/workflow-store.ts'
import { resolveInputs, typedInputs } from '../../actions/workflow/inputs.ts'
import { busy, forbidden, found, notFound, unprocessable } from '../../http/route/problem.ts'
import { accountById } from '../accounts/account-store.ts'
import { printUser } from '../accounts/user.shape.ts'
import { record } from '../audit/audit-trail.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { repositoryById } from '../repos/repo-store.ts'
import { type ForgeContext, toolsFor } from '../route.ts'
import type { CreateActionWorkflowDispatch } from './actions.option.ts'
import { actionsOf } from './job.shape.ts'
import { examineFile, workflowsAtRef } from './workflow-reading.ts'

type Context = ForgeContext<
  SignedInOnRepository,
  { params: { workflow_id: string }; body: v.InferOutput<typeof CreateActionWorkflowDispatch> }
>

/** Starts a workflow in the version of the requested ref. @throws Problem 403, 404, 422, 503 */
export async function dispatchWorkflow(context: Context) {
  const { sql, begin, tools, caller, params, body, from } = context
  const name = params.workflow_id
  const depth = depthAfter(caller)
  if (caller.repo.is_archived) throw forbidden('the repository is archived')
  if ((await disabledWorkflows(sql, caller.repo.id)).has(name)) throw forbidden('workflow is disabled')
  const ref = fullRef(body.ref)
  const source = await workflowsAtRef(sql, toolsFor(from, tools), caller.repo.id, () => ref)
  if (!source) throw notFound(`ref ${JSON.stringify(body.ref.slice(0, 100))} not found`)
  const file = source.files.find((each) => each.name === name)
  if (!file) throw notFound(`workflow ${JSON.stringify(name.slice(0, 100))} not found`)
  const examined = await examineFile(tools, file, { event: 'workflow_dispatch' }, source.facts.owner_id)
  if (examined.fault !== undefined) throw unprocessable(examined.fault)
  if (!examined.dispatch) throw unprocessable('workflow has no workflow_dispatch event trigger')
  const inputs = resolveInputs(examined.dispatch, body.inputs ?? {})
  const { facts, commit } = source
  const trigger = {
    event: 'workflow_dispatch',
    payload: { workflow: file.path, ref: body.ref, inputs, ...(await describe(context)) },
    ref,
    commit: commit.id,
    title: commit.message,
    actor: caller.task ? undefined : { id: caller.me.id, name: caller.me.name },
    by_bot: caller.task !== undefined,
    dispatch_depth: depth,
  }
  const candidate = candidateOf(file, examined, typedInputs(examined.dispatch, inputs))
  const { log, planner, gitService } = tools
  const deps = { sql, begin, log, planner, source: gitService, root: from.host }
  const started = await startRuns(deps, facts, trigger, [candidate], async (tx) => {
    const target = { kind: 'workflow', name: `${facts.owner_name}/${facts.name}/${file.name}` }
    await record(tx, context, { action: 'workflow.dispatched', target, details: { ref } })
    return true
  }).catch(tooManyStarts)
  const run = found(started[0])
  const { api, html } = actionsOf({ owner_name: facts.owner_name, repository_name: facts.name }, from.host)
  return { workflow_run_id: run.id, run_url: `${api}/runs/${run.id}`, html_url: `${html}/runs/${run.id}` }
}

/** @throws Problem 503 */
function tooManyStarts(error: unknown): never {
  throw error instanceof StartError ? busy('too many runs are being started', error.message, 5) : error
}

/** The `dispatch_depth` of a run that the caller starts. @throws Problem 403 */
function depthAfter({ task }: SignedInOnRepository): number {
  if (!task) return 0
  if (task.dispatch_depth >= maxChain)
    throw forbidden(`jobs have started ${maxChain} runs in a row, and may start no more`)
  return task.dispatch_depth + 1
}

/** A short name is that of a branch. */
const fullRef = (ref: string) => (ref.startsWith('refs/') ? ref : `refs/heads/${ref}`)

async function describe({ sql, caller, from }: Context) {
  const row = found(await repositoryById(sql, caller.repo.id))
  const owner = found(await accountById(sql, row.owner_id))
  return {
    repository: printRepository(row, owner, { host: from.host, level: caller.repo.level, known: true }),
    sender: printUser(caller.me, undefined, from.host),
  }
}
