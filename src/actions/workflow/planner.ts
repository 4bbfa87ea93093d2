import source from 'worker:./worker.ts'
import { done, failed, type Outcome } from '../../common/outcome.ts'
import { createPool, type Owner, type PoolLimits } from '../../threads/pool.ts'
import type { UnansweredOutcomes } from '../../threads/thread.ts'
import type { PlannedCall } from './call.ts'
import type { Plan, PlanContexts, PlannedJobs } from './plan.ts'
import type { EventInput, Examined, WorkflowOutcome, WorkflowRequest } from './request.ts'

/**
 * Reads workflow files in worker threads, which bound the time and memory of large or hostile files. The faults
 * `busy` and `failed` concern the server and may be temporary; `file` concerns the file and is permanent. `owner`: the
 * account that owns the repository; its files cannot occupy all threads.
 */
export interface Planner {
  examine(source: string, input: EventInput, owner?: Owner): Promise<PlannerResult<Examined>>
  plan(source: string, contexts: PlanContexts, owner?: Owner): Promise<PlannerResult<Plan>>
  /** Plans a deferred job; `source`: its `expansion`. */
  expand(source: string, contexts: PlanContexts, owner?: Owner): Promise<PlannerResult<PlannedJobs>>
  /** Plans the jobs of a workflow that a job calls; `caller`: the workflow with that job alone. */
  planCall(
    caller: string,
    source: string,
    contexts: PlanContexts,
    owner?: Owner,
  ): Promise<PlannerResult<PlannedCall>>
  /** Terminates the threads. */
  close(): Promise<void>
}

export type PlannerResult<Value> = Outcome<Value, PlannerFault>

type PlannerFault =
  | { readonly kind: 'file'; readonly message: string }
  | { readonly kind: 'busy' | 'failed'; readonly log: string }

const unanswered: UnansweredOutcomes<WorkflowOutcome> = {
  busy: { kind: 'problem', reason: 'busy', log: 'too many workflow files are waiting to be read' },
  gone: { kind: 'problem', reason: 'busy', log: 'no caller waits for the result' },
  timeout: { kind: 'fault', fault: 'the file takes too long to read' },
  slow: { kind: 'problem', reason: 'busy', log: 'the machine is too busy to read a workflow file' },
  memory: { kind: 'fault', fault: 'the file takes too much memory to read' },
  failed: (log) => ({ kind: 'problem', reason: 'failed', log }),
}

/** At most two threads: planning is not urgent. */
const limits: Partial<PoolLimits> = { workers: 2, queue: 500, timeLimit: 10_000, memory: 512 }

export function createPlanner(overrides: Partial<PoolLimits> = {}): Planner {
  const weigh = (request: WorkflowRequest) => request.source.length
  const pool = createPool<WorkflowRequest, WorkflowOutcome>(
    { kind: 'workflow-file', source, weigh, unanswered },
    { ...limits, ...overrides },
  )
  return {
    examine: async (text, input, owner) => {
      const outcome = await pool.run({ kind: 'examine', source: text, input }, owner)
      return outcome.kind === 'examined' ? done(outcome.examined) : failed(faultOf(outcome))
    },
    plan: async (text, contexts, owner) => {
      const outcome = await pool.run({ kind: 'plan', source: text, contexts }, owner)
      return outcome.kind === 'planned' ? done(outcome.plan) : failed(faultOf(outcome))
    },
    expand: async (text, contexts, owner) => {
      const outcome = await pool.run({ kind: 'expand', source: text, contexts }, owner)
      return outcome.kind === 'expanded' ? done(outcome.jobs) : failed(faultOf(outcome))
    },
    planCall: async (caller, text, contexts, owner) => {
      const outcome = await pool.run({ kind: 'call', caller, source: text, contexts }, owner)
      return outcome.kind === 'called' ? done(outcome.called) : failed(faultOf(outcome))
    },
    close: pool.close,
  }
}

function faultOf(outcome: WorkflowOutcome): PlannerFault {
  if (outcome.kind === 'fault') return { kind: 'file', message: outcome.fault }
  if (outcome.kind === 'problem') return { kind: outcome.reason, log: outcome.log }
  return { kind: 'failed', log: 'a worker answered another request' }
}
