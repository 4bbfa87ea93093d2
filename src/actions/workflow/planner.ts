import source from 'worker:./worker.ts'
import { createPool, type Owner, type PoolLimits } from '../../threads/pool.ts'
import type { Refusals } from '../../threads/thread.ts'
import type { Plan, PlanContexts } from './plan.ts'
import type { EventInput, Examined, WorkflowOutcome, WorkflowRequest } from './request.ts'

/**
 * Reads workflow files in worker threads, which bound the time and memory of large or hostile files. `busy` and
 * `failed` are problems of the server and may pass; `fault` concerns the file and is permanent. `owner`: the account
 * that owns the repository; its files cannot occupy all threads.
 */
export interface Planner {
  examine(source: string, input: EventInput, owner?: Owner): Promise<PlannerResult<Examined>>
  plan(source: string, contexts: PlanContexts, owner?: Owner): Promise<PlannerResult<Plan>>
  /** Terminates the threads. */
  close(): Promise<void>
}

type PlannerResult<Value> =
  | { readonly value: Value }
  | { readonly fault: string }
  | { readonly problem: 'busy' | 'failed'; readonly log: string }

const refusals: Refusals<WorkflowOutcome> = {
  busy: { kind: 'problem', reason: 'busy', log: 'too many workflow files are waiting to be read' },
  gone: { kind: 'problem', reason: 'busy', log: 'nobody waits for it any more' },
  timeout: { kind: 'fault', fault: 'the file takes too long to read' },
  memory: { kind: 'fault', fault: 'the file takes too much memory to read' },
  failed: (log) => ({ kind: 'problem', reason: 'failed', log }),
}

/** At most two threads: planning is not urgent. */
const limits: Partial<PoolLimits> = { workers: 2, queue: 500, timeLimit: 10_000, memory: 512 }

export function createPlanner(overrides: Partial<PoolLimits> = {}): Planner {
  const weigh = (request: WorkflowRequest) => request.source.length
  const pool = createPool<WorkflowRequest, WorkflowOutcome>(
    { kind: 'workflow-file', source, weigh, refusals },
    { ...limits, ...overrides },
  )
  return {
    examine: async (text, input, owner) => {
      const outcome = await pool.run({ kind: 'examine', source: text, input }, owner)
      return outcome.kind === 'examined' ? { value: outcome.examined } : failureOf(outcome)
    },
    plan: async (text, contexts, owner) => {
      const outcome = await pool.run({ kind: 'plan', source: text, contexts }, owner)
      return outcome.kind === 'planned' ? { value: outcome.plan } : failureOf(outcome)
    },
    close: pool.close,
  }
}

function failureOf(outcome: WorkflowOutcome): Exclude<PlannerResult<never>, { value: never }> {
  if (outcome.kind === 'fault') return { fault: outcome.fault }
  if (outcome.kind === 'problem') return { problem: outcome.reason, log: outcome.log }
  return { problem: 'failed', log: 'a worker answered another question' }
}
