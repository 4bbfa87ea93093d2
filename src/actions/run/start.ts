import type { Begin, Sql, Tx } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import { nobody } from '../runner/task-context.ts'
import { variablesReaching } from '../secrets/variable-store.ts'
import type { Plan, PlannedJob } from '../workflow/plan.ts'
import type { Planner } from '../workflow/planner.ts'
import type { Json } from '../workflow/values.ts'
import { insertJobs, type JobDraft } from './job-store.ts'
import type { RepoFacts } from './repo-facts.ts'
import { githubContext } from './run-context.ts'
import { drawRunIds, insertRun, lastRunNumber, reserveRunNumbers, takeRunNumbers } from './run-store.ts'
import { beginAttempt } from './state.ts'
import { keptText, shortText } from './storable-text.ts'

/** What runs are started with. */
export interface Starter {
  sql: Sql
  begin: Begin
  log: Log
  planner: Planner
  /** Public address of the site. */
  root: string
}

/** A workflow that is to run. */
export interface WorkflowCandidate {
  /** Its name below the folder of workflows. */
  file: string
  /** The name that it gives itself; empty: none. */
  name: string
  source: string
  /** Why it cannot run at all, where that is known. */
  fault: string | undefined
  inputs: Readonly<Record<string, string>>
}

/** What makes workflows run. */
interface Cause {
  event: string
  /** What `github.event` will be. */
  payload: Json
  ref: string
  commit: string
  /** First line of the commit's message. */
  title: string
  actor: { id: number; name: string } | undefined
  /** Caused by this forge itself. */
  by_bot: boolean
  /** How many runs led to this one, each started by a job of the one before; absent: none. */
  dispatch_depth?: number
}

/** A run that has begun. */
interface Started {
  id: number
  number: number
  file: string
}

/** Too many files are being read: what is to be tried again later. */
export class StartError extends Error {}

/** How long the workflows of one event may take to plan together, in milliseconds; the rest of them fails. */
const longestPlan = 60_000
const tooLong = 'the workflows take too long to plan'

/** How often the next numbers are guessed: others may take them before the run is planned. Then they are reserved. */
const mostGuesses = 4

/**
 * Begins runs, in one transaction with `also`; when that gives false, nothing was begun. What is wrong with a workflow
 * becomes a run that has failed. @throws StartError
 */
export async function startRuns(
  starter: Starter,
  repo: RepoFacts,
  cause: Cause,
  wishes: readonly WorkflowCandidate[],
  also: (tx: Tx) => Promise<boolean> = async () => true,
): Promise<Started[]> {
  const { sql, begin } = starter
  const ids = await drawRunIds(sql, wishes.length)
  const vars =
    wishes.length === 0 ? {} : await variablesReaching(sql, { owner: repo.owner_id, repository: repo.id })
  const deadline = performance.now() + longestPlan
  for (let tries = 0; ; tries++) {
    const reserved = tries < mostGuesses ? undefined : await reserveRunNumbers(sql, repo.id, wishes.length)
    const last = reserved ?? (await lastRunNumber(sql, repo.id))
    const runs: PlannedRun[] = []
    for (const [at, wish] of wishes.entries()) {
      const started = { id: ids[at] ?? 0, number: last + 1 + at, file: wish.file }
      const timely = performance.now() > deadline ? { ...wish, fault: tooLong } : wish
      runs.push({ ...started, ...(await planned(starter, repo, cause, timely, started, vars)) })
    }
    const isTaken = (tx: Tx) =>
      runs.length === 0 || reserved !== undefined || takeRunNumbers(tx, repo.id, last, runs.length)
    const begun = await begin(async (tx) => {
      // First, because nothing else may be written when it does not succeed.
      if (!(await isTaken(tx))) return undefined
      if (!(await also(tx))) throw new NotOurs()
      for (const run of runs) await write(tx, repo, cause, run)
      return runs.map(({ id, number, file }) => ({ id, number, file }))
    }).catch((error: unknown) => {
      if (error instanceof NotOurs) return []
      throw error
    })
    if (begun) return begun
  }
}

/** Somebody else has done it: what was written is taken back. */
class NotOurs extends Error {}

/** A run and what it consists of. */
interface PlannedRun extends Started {
  name: string
  title: string
  concurrency: Plan['concurrency']
  jobs: JobDraft[]
}

async function planned(
  { planner, root, log }: Starter,
  repo: RepoFacts,
  cause: Cause,
  wish: WorkflowCandidate,
  { id, number }: Started,
  vars: Readonly<Record<string, string>>,
): Promise<Omit<PlannedRun, keyof Started>> {
  const title = lineOf(cause.title) || wish.file
  const failed = (fault: string) => ({
    name: wish.name,
    title,
    concurrency: undefined,
    jobs: [failedJob(wish.file, fault)],
  })
  if (wish.fault !== undefined) return failed(wish.fault)
  const { event, payload, ref, commit } = cause
  const actor = cause.actor?.name ?? nobody(cause.by_bot)
  const facts = { id, number, attempt: 1, workflow_file: wish.file, workflow_name: wish.name }
  const actors = { actor, triggering_actor: actor }
  const github = githubContext({ ...facts, ...actors, event, payload, ref, commit_sha: commit }, repo, root)
  const answer = await planner.plan(wish.source, { github, inputs: wish.inputs, vars }, repo.owner_id)
  if ('fault' in answer) return failed(answer.fault)
  if ('problem' in answer) {
    log.error('a workflow cannot be planned', { repository: repo.id, file: wish.file, error: answer.log })
    if (answer.problem === 'busy') throw new StartError('too many workflow files are waiting to be read')
    return failed('the file could not be read')
  }
  const plan = answer.value
  return {
    name: shortText(plan.name),
    title: lineOf(plan.title ?? '') || title,
    concurrency: plan.concurrency && { ...plan.concurrency, group: shortText(plan.concurrency.group) },
    jobs: plan.jobs.map(draftOf),
  }
}

/** The first line of a text, as long as the database takes it. */
const lineOf = (text: string) => shortText((text.trim().split('\n', 1)[0] ?? '').trim())

/** What is wrong with a file as a whole, where its author looks for it: the log of a job that failed. */
function failedJob(file: string, fault: string): JobDraft {
  return {
    ...nothing,
    name: shortText(file),
    key: 'workflow',
    message: keptText(fault),
    status: 'failure',
  }
}

const nothing = {
  needs: [],
  runs_on: [],
  payload: null,
  step_names: [],
  condition: '',
  matrix: null,
  continue_on_error: false,
  timeout_minutes: null,
  fails_fast: false,
  max_parallel: null,
  concurrency_source: null,
  concurrency_group: null,
  concurrency_cancels: false,
  permissions: null,
} as const

function draftOf(job: PlannedJob): JobDraft {
  const common = { ...nothing, key: job.key, name: shortText(job.name) || job.key }
  if (job.fault !== undefined) return { ...common, message: keptText(job.fault), status: 'failure' }
  return {
    ...common,
    needs: job.needs,
    runs_on: job.labels.map(keptText),
    payload: job.payload,
    step_names: job.steps.map(keptText),
    condition: keptText(job.condition),
    matrix: job.matrix ? JSON.stringify(job.matrix) : null,
    continue_on_error: job.continueOnError,
    timeout_minutes: job.timeoutMinutes ?? null,
    fails_fast: job.failsFast,
    max_parallel: job.maxParallel ?? null,
    concurrency_source: job.lateConcurrency ? keptText(JSON.stringify(job.lateConcurrency)) : null,
    concurrency_group: job.concurrency ? shortText(job.concurrency.group) : null,
    concurrency_cancels: job.concurrency?.cancel ?? false,
    permissions: job.permissions ? JSON.stringify(job.permissions) : null,
    message: '',
    status: job.needs.length > 0 || job.maxParallel !== undefined ? 'pending' : 'blocked',
  }
}

async function write(tx: Tx, repo: RepoFacts, cause: Cause, run: PlannedRun): Promise<void> {
  await insertRun(tx, {
    id: run.id,
    repository_id: repo.id,
    number: run.number,
    workflow_file: run.file,
    workflow_name: run.name,
    title: run.title,
    actor_id: cause.actor?.id ?? null,
    by_bot: cause.by_bot,
    dispatch_depth: cause.dispatch_depth ?? 0,
    event: cause.event,
    payload: JSON.stringify(cause.payload),
    ref: cause.ref,
    commit_sha: cause.commit,
    concurrency: run.concurrency,
  })
  await insertJobs(tx, { run: run.id, attempt: 1, repository: repo.id }, run.jobs)
  await beginAttempt(tx, { run: run.id, attempt: 1, repository: repo.id })
}
