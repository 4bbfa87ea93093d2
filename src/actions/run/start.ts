import type { Begin, Sql, Tx } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import { variablesForJobs } from '../secrets/variable-store.ts'
import type { Inputs } from '../workflow/inputs.ts'
import type { Plan } from '../workflow/plan.ts'
import type { Planner } from '../workflow/planner.ts'
import type { Json } from '../workflow/values.ts'
import { type CalledWorkflow, insertCalledWorkflows } from './called-workflow-store.ts'
import { readCalledWorkflows } from './called-workflows.ts'
import type { WorkflowCandidate } from './candidate.ts'
import { failedJob, jobDraftOf } from './job-draft.ts'
import { insertJobs, type JobDraft } from './job-store.ts'
import type { RepoFacts } from './repo-facts-store.ts'
import { serverContext } from './run-context.ts'
import { claimRunNumbers, insertRun, lastRunNumber, nextRunIds, reserveRunNumbers } from './run-store.ts'
import { StartError } from './start-error.ts'
import { beginAttempt } from './state.ts'
import { shortText } from './storable-text.ts'
import type { WorkflowSource } from './workflow-files.ts'

/** The dependencies of starting runs. */
export interface StartDeps {
  sql: Sql
  begin: Begin
  log: Log
  planner: Planner
  /** Where called workflows are read from. */
  source: WorkflowSource
  /** Public URL of the site. */
  root: string
}

/** The event that starts workflows. */
interface Trigger {
  event: string
  /** Becomes `github.event`. */
  payload: Json
  ref: string
  commit: string
  /** First line of the commit's message. */
  title: string
  actor: { id: number; name: string } | undefined
  /** Whether the server itself caused it. */
  by_bot: boolean
  /** The length of the chain of runs that led to this one, each started by the previous one; absent: 0. */
  dispatch_depth?: number
  /** Whether strangers may have written the workflow: its jobs get no secrets and write nothing; absent: no. */
  is_fork_pr?: boolean
  /** Whether no job runs before somebody approves it; absent: no. */
  needs_approval?: boolean
}

/** A started run. */
interface StartedRun {
  id: number
  number: number
  file: string
}

/** Maximum length of a chain of runs in which each run starts the next: without a limit, it could be endless. */
export const maxChain = 5

/** Planning time of all workflows of one event, in milliseconds; the remaining ones fail. */
const maxPlanTime = 60_000
const planTimeoutMessage = 'the workflows take too long to plan'

/** How often run numbers are guessed, since other runs may claim them during planning; then they are reserved. */
const maxGuesses = 4

/**
 * Starts runs in one transaction with `also`; if `also` returns false, nothing starts. A faulty workflow becomes a failed
 * run.
 * @throws StartError
 */
export async function startRuns(
  deps: StartDeps,
  repo: RepoFacts,
  trigger: Trigger,
  candidates: readonly WorkflowCandidate[],
  also: (tx: Tx) => Promise<boolean> = async () => true,
): Promise<StartedRun[]> {
  const { sql, begin } = deps
  const ids = await nextRunIds(sql, candidates.length)
  const vars =
    candidates.length === 0 ? {} : await variablesForJobs(sql, { owner: repo.owner_id, repository: repo.id })
  const called = await calledByAll(deps, repo, trigger.commit, candidates)
  const planning = { ...deps, repo, trigger, vars, called, deadline: performance.now() + maxPlanTime }
  for (let tries = 0; ; tries++) {
    const reserved = tries < maxGuesses ? undefined : await reserveRunNumbers(sql, repo.id, candidates.length)
    const last = reserved ?? (await lastRunNumber(sql, repo.id))
    const runs: PlannedRun[] = []
    for (const [at, candidate] of candidates.entries())
      runs.push(await planRun(planning, candidate, { id: ids[at] ?? 0, number: last + 1 + at }))
    const started = await begin(async (tx) => {
      const hasNumbers =
        runs.length === 0 || reserved !== undefined || (await claimRunNumbers(tx, repo.id, last, runs.length))
      if (!hasNumbers) return undefined
      if (!(await also(tx))) throw new SupersededError()
      for (const run of runs) await insertPlannedRun(tx, repo, trigger, run)
      return runs.map(({ id, number, file }) => ({ id, number, file }))
    }).catch((error: unknown) => {
      if (error instanceof SupersededError) return []
      throw error
    })
    if (started) return started
  }
}

/** `also` returned false: another transaction has done the work, so this one rolls back. */
class SupersededError extends Error {}

/** A run and its jobs, ready to insert. */
interface PlannedRun extends StartedRun {
  name: string
  title: string
  inputs: Inputs
  concurrency: Plan['concurrency']
  jobs: JobDraft[]
  called: readonly CalledWorkflow[]
}

/** The input that all runs of one event share. */
interface Planning extends StartDeps {
  repo: RepoFacts
  trigger: Trigger
  vars: Readonly<Record<string, string>>
  called: ReadonlyMap<WorkflowCandidate, readonly CalledWorkflow[]>
  deadline: number
}

/** What the jobs of each candidate call. @throws StartError */
async function calledByAll(
  deps: StartDeps,
  facts: RepoFacts,
  commit: string,
  candidates: readonly WorkflowCandidate[],
): Promise<Planning['called']> {
  const called = new Map<WorkflowCandidate, readonly CalledWorkflow[]>()
  for (const candidate of candidates) {
    const { path, calls } = candidate
    if (calls.length > 0)
      called.set(candidate, await readCalledWorkflows(deps, { facts, commit, path }, calls))
  }
  return called
}

/** @throws StartError */
async function planRun(
  { planner, root, log, repo, trigger, vars, called: calledByAll, deadline }: Planning,
  candidate: WorkflowCandidate,
  { id, number }: Pick<StartedRun, 'id' | 'number'>,
): Promise<PlannedRun> {
  const { file, name, inputs } = candidate
  const run = { id, number, file, inputs, title: lineOf(trigger.title) || file }
  const failedRun = (message: string) => {
    return { ...run, name, concurrency: undefined, called: [], jobs: [failedJob(file, message)] }
  }
  const fault = performance.now() > deadline ? planTimeoutMessage : candidate.fault
  if (fault !== undefined) return failedRun(fault)
  const github = serverContext(factsOf(repo, trigger, run, name), root)
  const outcome = await planner.plan(candidate.source, { github, inputs, vars }, repo.owner_id)
  if (!outcome.ok) {
    if (outcome.fault.kind === 'file') return failedRun(outcome.fault.message)
    log.error('cannot plan a workflow', { repository: repo.id, file, error: outcome.fault.log })
    if (outcome.fault.kind === 'busy') throw new StartError('too many workflow files are waiting to be read')
    return failedRun('the file could not be read')
  }
  const plan = outcome.value
  const called = calledByAll.get(candidate) ?? []
  const calledByFile = called.filter(({ caller_number }) => caller_number === 0)
  return {
    ...run,
    name: shortText(plan.name),
    title: lineOf(plan.title ?? '') || run.title,
    concurrency: plan.concurrency && { ...plan.concurrency, group: shortText(plan.concurrency.group) },
    called,
    jobs: plan.jobs.map((job) => jobDraftOf(job, calledByFile)),
  }
}

/** The facts about a run that is not stored yet. */
const factsOf = (repo: RepoFacts, trigger: Trigger, { id, number, file }: StartedRun, name: string) => ({
  run_id: id,
  run_number: number,
  attempt: 1,
  workflow_file: file,
  workflow_name: name,
  event: trigger.event,
  event_payload: trigger.payload,
  ref: trigger.ref,
  commit_sha: trigger.commit,
  owner_name: repo.owner_name,
  repository_name: repo.name,
  actor_name: trigger.actor?.name ?? null,
  by_bot: trigger.by_bot,
  attempt_actor_name: trigger.actor?.name ?? null,
  attempt_by_bot: trigger.by_bot,
})

/** The first line of a text, cut to the length of the column. */
const lineOf = (text: string) => shortText((text.trim().split('\n', 1)[0] ?? '').trim())

async function insertPlannedRun(tx: Tx, repo: RepoFacts, trigger: Trigger, run: PlannedRun): Promise<void> {
  await insertRun(tx, {
    id: run.id,
    repository_id: repo.id,
    number: run.number,
    workflow_file: run.file,
    workflow_name: run.name,
    title: run.title,
    actor_id: trigger.actor?.id ?? null,
    by_bot: trigger.by_bot,
    dispatch_depth: trigger.dispatch_depth ?? 0,
    is_fork_pr: trigger.is_fork_pr ?? false,
    needs_approval: trigger.needs_approval ?? false,
    event: trigger.event,
    payload: JSON.stringify(trigger.payload),
    inputs: JSON.stringify(run.inputs),
    ref: trigger.ref,
    commit_sha: trigger.commit,
    concurrency: run.concurrency,
  })
  await insertCalledWorkflows(tx, run.id, run.called)
  await insertJobs(tx, { run: run.id, attempt: 1, repository: repo.id }, run.jobs)
  await beginAttempt(tx, { run: run.id, attempt: 1, repository: repo.id })
}
