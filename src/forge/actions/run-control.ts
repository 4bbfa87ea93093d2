import { deleteRun, lockRun } from '../../actions/run/run-store.ts'
import { isFinal } from '../../actions/run/status.ts'
import { badRequest, found, notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { record } from '../audit/audit-trail.ts'
import { actionsWritten, type SignedInOnRepository } from '../repos/access.ts'
import { type ForgeContext, route } from '../route.ts'
import { printJob, WorkflowJob } from './job.shape.ts'
import { jobInAttempt, jobInRepository } from './job-list-store.ts'
import { printRun, WorkflowRun } from './run.shape.ts'
import { approve, cancelRun, startRerun, targetOf } from './run-changes.ts'
import { runInRepository } from './run-list-store.ts'

/** Routes that approve, cancel, rerun and delete runs. */

const onRun = { access: actionsWritten(), params: { run: id } }

export const cancelWorkflowRun = route('POST /repos/{owner}/{repo}/actions/runs/{run}/cancel', {
  ...onRun,
  summary: 'Cancel a run: runners end its running jobs, waiting jobs do not start',
  fails: [404, 409],
  returns: json(200, WorkflowRun),
  handler: async (context) => {
    await cancelRun(context, context.params.run)
    return printedRun(context)
  },
})

export const approveWorkflowRun = route('POST /repos/{owner}/{repo}/actions/runs/{run}/approve', {
  ...onRun,
  summary: 'Let a run start that a pull request from a fork has caused',
  fails: [404, 409],
  returns: json(200, WorkflowRun),
  handler: async (context) => {
    await approve(context, context.params.run)
    return printedRun(context)
  },
})

export const deleteActionRun = route('DELETE /repos/{owner}/{repo}/actions/runs/{run}', {
  ...onRun,
  summary: 'Delete a completed run with its logs',
  fails: [400, 404],
  returns: noBody(204),
  handler: async (context) => {
    const { run } = context.params
    await context.begin(async (tx) => {
      found(await runInRepository(tx, context.caller.repo.id, run))
      const locked = found(await lockRun(tx, run))
      if (!isFinal(locked.status)) throw badRequest('this workflow run is not done')
      await deleteRun(tx, run)
      await record(tx, context, { action: 'workflow_run.deleted', target: targetOf(context, run) })
    })
  },
})

const rerunning = { fails: [400, 404], returns: json(201, WorkflowRun) } as const

export const rerunWorkflowRun = route('POST /repos/{owner}/{repo}/actions/runs/{run}/rerun', {
  ...onRun,
  ...rerunning,
  summary: 'Re-run all jobs of a run',
  handler: (context) => rerunWith(context, 'all'),
})

export const rerunFailedWorkflowRun = route(
  'POST /repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs',
  {
    ...onRun,
    ...rerunning,
    summary: 'Re-run the jobs that failed or were cancelled, and the jobs that need them',
    handler: (context) => rerunWith(context, 'failed'),
  },
)

export const rerunWorkflowJob = route('POST /repos/{owner}/{repo}/actions/runs/{run}/jobs/{job_id}/rerun', {
  access: actionsWritten(),
  params: { run: id, job_id: id },
  summary: 'Re-run a job of the newest attempt, and the jobs that need it',
  fails: [400, 404],
  returns: json(201, WorkflowJob),
  handler: async (context) => {
    const { run, job_id: job } = context.params
    const { sql, caller, from } = context
    const oldJob = found(await jobInRepository(sql, caller.repo.id, job))
    if (oldJob.run_id !== run) throw notFound()
    const attempt = await startRerun(context, run, { job })
    const newJob = found(await jobInAttempt(sql, job, attempt))
    return printJob(found(await jobInRepository(sql, caller.repo.id, newJob)), from.host)
  },
})

type Context = ForgeContext<SignedInOnRepository, { params: { run: number } }>

async function rerunWith(context: Context, scope: 'all' | 'failed'): Promise<WorkflowRun> {
  await startRerun(context, context.params.run, scope)
  return printedRun(context)
}

async function printedRun({ caller, params, sql, from }: Context): Promise<WorkflowRun> {
  const listed = found(await runInRepository(sql, caller.repo.id, params.run))
  return printRun(listed, { viewer: caller.me, host: from.host })
}
