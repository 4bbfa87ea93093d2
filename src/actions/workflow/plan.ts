import { type Concurrency, fillConcurrency } from './concurrency.ts'
import type { Scope } from './expression.ts'
import { fail } from './fault.ts'
import type { Inputs } from './inputs.ts'
import { maxJobs } from './matrix.ts'
import { payloadHead } from './payload.ts'
import { type CallingJob, type DeferredJob, type FailedJob, type PlannedJob, planJob } from './planned-job.ts'
import { evaluateText } from './template.ts'
import { isObject, type Json, type Names, namesOf, valueFrom } from './values.ts'
import type { Workflow } from './workflow.ts'

/** The contexts of expressions. */
export interface PlanContexts {
  readonly github: Json
  readonly inputs: Inputs
  readonly vars: Readonly<Record<string, string>>
  /** Results and outputs of the jobs that a deferred job needs; absent before any job of the run has run. */
  readonly needs?: Json
}

/** A run, ready to be stored. */
export interface Plan {
  /** The name of the workflow; empty if it has none. */
  readonly name: string
  /** The evaluated `run-name`. */
  readonly title: string | undefined
  readonly concurrency: Concurrency | undefined
  readonly jobs: PlannedJobs
}

export type PlannedJobs = readonly (PlannedJob | CallingJob | DeferredJob | FailedJob)[]

/** Maximum characters of all payloads of a run. */
const maxPayload = 16 * 1024 * 1024

const maxNameLength = 255

/** Plans the jobs of a workflow. @throws WorkflowFault when no job of it can run */
export function planRun(workflow: Workflow, contexts: PlanContexts): Plan {
  const scope: Scope = { contexts: contextsOf(contexts) }
  const title = workflow.runName === undefined ? undefined : evaluateText(workflow.runName, scope).trim()
  const concurrency = workflow.concurrency && fillConcurrency(workflow.concurrency, scope)
  const jobs = planJobs(workflow, payloadHead(workflow.tree, { 'run-name': title }), scope.contexts)
  return { name: workflow.name, title: title?.slice(0, maxNameLength), concurrency, jobs }
}

/** Plans a deferred job from its `expansion`; `contexts` have its needs. @throws WorkflowFault */
export const planDeferred = (workflow: Workflow, contexts: PlanContexts): PlannedJobs =>
  // The `run-name` of an expansion has been evaluated; what it came to is no expression.
  planJobs(workflow, payloadHead(workflow.tree), contextsOf(contexts))

/** Plans the jobs of a workflow that a job calls: they belong to the run of that job. @throws WorkflowFault */
export function planCalled(workflow: Workflow, contexts: PlanContexts): PlannedJobs {
  const { github } = contexts
  const name = isObject(github) && typeof github.workflow === 'string' ? github.workflow : workflow.name
  return planJobs(workflow, payloadHead(workflow.tree, { name, 'run-name': name }), contextsOf(contexts))
}

function planJobs(workflow: Workflow, head: string, contexts: Names): PlannedJobs {
  const jobs: PlannedJobs[number][] = []
  let size = 0
  for (const spec of workflow.jobs) {
    for (const job of planJob(spec, workflow, head, contexts)) {
      jobs.push(job)
      if (job.fault === undefined) size += (job.expansion ?? job.caller ?? job.payload ?? '').length
    }
    if (jobs.length > maxJobs) fail(`there are more than ${maxJobs} jobs`)
    if (size > maxPayload) fail('all jobs together are too large')
  }
  return jobs
}

/** `gitea` is an alias of `github`. */
export function contextsOf({ github, inputs, vars, needs }: PlanContexts): Names {
  const event = valueFrom(github)
  return namesOf([
    ['github', event],
    ['gitea', event],
    ['inputs', valueFrom(inputs)],
    ['vars', valueFrom(vars)],
    ...(needs === undefined ? [] : [['needs', valueFrom(needs)] as const]),
  ])
}
