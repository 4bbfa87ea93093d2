import { inParallel } from '../../common/in-parallel.ts'
import { done, failed, type Outcome } from '../../common/outcome.ts'
import type { Tx } from '../../db/sql.ts'
import type { Call } from '../workflow/call.ts'
import { maxJobs } from '../workflow/matrix.ts'
import { type Permissions, restrictTo } from '../workflow/permissions.ts'
import type { PlanContexts } from '../workflow/plan.ts'
import type { PlannerResult } from '../workflow/planner.ts'
import {
  type AttemptJob,
  jobsOfAttempt,
  lastJobNumber,
  type ServerJob,
  serverJobsBeside,
} from './attempt-job-store.ts'
import { bareKey, callerNumber, callerOf, contextsIn, scopedKey } from './call-scope.ts'
import { sourceOfCalled, workflowsCalledBy } from './called-workflow-store.ts'
import { needsOf } from './dependents.ts'
import { jobDraftOf } from './job-draft.ts'
import { insertJobs, type JobDraft, putFirstCombination, startCall, transitionJobs } from './job-store.ts'
import { lockRun } from './run-store.ts'
import { type RuntimeFacts, runtimeFacts } from './runtime-context.ts'
import type { StartDeps } from './start.ts'
import { StartError } from './start-error.ts'
import { advanceRun } from './state.ts'
import { shortText, storableText } from './storable-text.ts'

/*
 * Jobs that wait for the server and not for a runner, because their plan takes the results of other jobs: a deferred job
 * becomes its combinations, and the jobs of the workflow that a job calls join its attempt.
 */

/** What follows from a job that is planned now. `call`: for one that calls a workflow. */
interface Planned {
  readonly call: Call | undefined
  readonly drafts: readonly JobDraft[]
}

/**
 * Plans all jobs that wait for the server in the attempt of a job, in one transaction with `also`: a run may call many
 * workflows, and each transaction takes a write to the disk. If `also` returns false, nothing happens. A job that cannot be
 * planned fails.
 * @throws StartError
 */
export async function planServerJobs(
  deps: StartDeps,
  id: number,
  also: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const jobs = await serverJobsBeside(deps.sql, id)
  const plans = await plansOf(deps, jobs)
  await deps.begin(async (tx) => {
    if (!(await also(tx))) return
    const [first] = plans
    if (!first || !(await lockRun(tx, first.job.run_id))) return
    await storePlans(tx, first.job, plans)
    await advanceRun(tx, first.job.run_id, first.job.attempt)
  })
}

interface JobPlan {
  job: ServerJob
  planned: Outcome<Planned, string>
}

/** How many jobs are planned at a time: their statements and threads serve others, too. */
const jobsAtOnce = 8

/** The plans of jobs of one attempt; none when its run was deleted. @throws StartError */
async function plansOf(deps: StartDeps, waiting: readonly ServerJob[]): Promise<JobPlan[]> {
  const [first] = waiting
  if (!first) return []
  const { run_id: run, attempt } = first
  const facts = await runtimeFacts(deps.sql, { run, attempt })
  if (!facts) return []
  const jobs = await jobsOfAttempt(deps.sql, run, attempt)
  return inParallel(jobsAtOnce, waiting, async (job) => ({
    job,
    planned: await planOf(deps, job, { facts, jobs }),
  }))
}

type RuntimeOf = { facts: RuntimeFacts; jobs: readonly AttemptJob[] }

/** @throws StartError */
async function planOf(deps: StartDeps, job: ServerJob, { facts, jobs }: RuntimeOf) {
  const { key, needs } = job
  const contexts = {
    ...contextsIn(facts.contexts, callerOf(key, jobs)),
    needs: needsOf({ needs }, jobs, facts.outputs),
  }
  return job.caller === null
    ? planCombinations(deps, job, { contexts, owner: facts.owner, jobs })
    : planCalledJobs(deps, { ...job, caller: job.caller }, { contexts, owner: facts.owner })
}

/** The combinations of a deferred job. */
async function planCombinations(
  deps: StartDeps,
  job: ServerJob,
  { contexts, owner, jobs }: { contexts: PlanContexts; owner: number; jobs: readonly AttemptJob[] },
): Promise<Outcome<Planned, string>> {
  const { key, needs, condition, permissions } = job
  const planned = outcomeOf(deps, job, await deps.planner.expand(job.expansion ?? '', contexts, owner))
  if (!planned.ok) return planned
  const scope = callerOf(key, jobs)
  const called = await workflowsCalledBy(deps.sql, job.run_id, scope?.called_number ?? 0)
  const caller = { number: callerNumber(key), name: scope?.name, permissions }
  const drafts = planned.value.map((each) => draftIn(caller, jobDraftOf(each, called)))
  const fault = drafts.find(({ status }) => status === 'failure')?.message
  if (fault !== undefined) return failed(fault)
  return done({ call: undefined, drafts: drafts.map((draft) => ({ ...draft, needs, condition })) })
}

/** The jobs of the workflow that a job calls. */
async function planCalledJobs(
  deps: StartDeps,
  job: ServerJob & { caller: string },
  { contexts, owner }: { contexts: PlanContexts; owner: number },
): Promise<Outcome<Planned, string>> {
  const { sql, planner } = deps
  const number = job.called_number ?? 0
  const source = (await sourceOfCalled(sql, job.run_id, number)) ?? ''
  const planned = outcomeOf(deps, job, await planner.planCall(job.caller, source, contexts, owner))
  if (!planned.ok) return planned
  const called = await workflowsCalledBy(sql, job.run_id, number)
  const { call, jobs } = planned.value
  return done({ call, drafts: jobs.map((each) => draftIn(job, jobDraftOf(each, called))) })
}

/** The plan, or why there is none. @throws StartError */
function outcomeOf<Value>({ log }: StartDeps, job: ServerJob, result: PlannerResult<Value>) {
  if (result.ok) return result
  const { fault } = result
  if (fault.kind === 'file') return failed(fault.message)
  log.error('cannot plan a job', { run: job.run_id, job: job.id, error: fault.log })
  if (fault.kind === 'busy') throw new StartError('too many workflow files are waiting to be read')
  return failed('the job could not be read')
}

/** A job of a called workflow; it has at most the permissions of the job that calls it. */
function draftIn(
  {
    number,
    name,
    permissions,
  }: { number: number; name: string | undefined; permissions: Permissions | null },
  draft: JobDraft,
): JobDraft {
  const asked: Permissions | undefined =
    draft.permissions === null ? undefined : JSON.parse(draft.permissions)
  return {
    ...draft,
    name: name === undefined ? draft.name : shortText(`${name} / ${draft.name}`),
    key: scopedKey(number, bareKey(draft.key)),
    needs: draft.needs.map((need) => scopedKey(number, need)),
    permissions: permissions ? JSON.stringify(restrictTo(permissions, asked)) : draft.permissions,
    status: draft.status === 'failure' ? 'failure' : 'requested',
  }
}

/** Stores the plans of jobs of one attempt, whose run is locked. */
async function storePlans(
  tx: Tx,
  { run_id: run, attempt, repository_id: repository }: ServerJob,
  plans: readonly JobPlan[],
): Promise<void> {
  const before = (await jobsOfAttempt(tx, run, attempt)).length
  const last = await lastJobNumber(tx, run, attempt)
  const added: JobDraft[] = []
  for (const plan of plans) added.push(...(await startPlanned(tx, plan, before + added.length)))
  await insertJobs(tx, { run, attempt, repository }, added, last)
}

/** Starts a job that is planned, or lets it fail; returns the jobs that it adds to the `count` of its attempt. */
async function startPlanned(
  tx: Tx,
  { job: { id }, planned }: JobPlan,
  count: number,
): Promise<readonly JobDraft[]> {
  const fault = planned.ok ? limitFault(planned.value, count) : planned.fault
  if (!planned.ok || fault !== undefined) {
    await transitionJobs(tx, [{ id, status: 'failure', message: storableText(fault ?? '') }])
    return []
  }
  const { call, drafts } = planned.value
  const [first] = drafts
  if (!first || !(await (call ? startCall(tx, id, call) : putFirstCombination(tx, id, first)))) return []
  return call ? drafts : drafts.slice(1)
}

function limitFault({ call, drafts }: Planned, count: number): string | undefined {
  const added = call ? drafts.length : drafts.length - 1
  return count + added > maxJobs ? `there are more than ${maxJobs} jobs` : undefined
}
