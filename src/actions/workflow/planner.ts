import source from 'worker:./worker.ts'
import { createPool, type PoolLimits } from '../../threads/pool.ts'
import type { Refusals } from '../../threads/thread.ts'
import type { Owner } from '../../threads/turns.ts'
import type { Plan, PlanContexts } from './plan.ts'
import type { Examined, Happening, WorkflowOutcome, WorkflowRequest } from './request.ts'

/**
 * Reads workflow files in worker threads, however large or hostile they are. `busy` and `failed` are about us and may
 * pass; `fault` is about the file and stays. `owner`: the account that owns the repository; its files cannot occupy all
 * threads.
 */
export interface Planner {
  examine(source: string, happening: Happening, owner?: Owner): Promise<Answer<Examined>>
  plan(source: string, contexts: PlanContexts, owner?: Owner): Promise<Answer<Plan>>
  /** Ends the threads. */
  close(): Promise<void>
}

export type Answer<Value> =
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

/** Two threads at most: reading files has time. */
const limits: Partial<PoolLimits> = { workers: 2, queue: 500, timeLimit: 10_000, memory: 512 }

export function createPlanner(more: Partial<PoolLimits> = {}): Planner {
  const weigh = (request: WorkflowRequest) => request.source.length
  const pool = createPool<WorkflowRequest, WorkflowOutcome>(
    { source, weigh, refusals },
    { ...limits, ...more },
  )
  return {
    examine: async (text, happening, owner) => {
      const outcome = await pool.run({ kind: 'examine', source: text, happening }, owner)
      return outcome.kind === 'examined' ? { value: outcome.examined } : otherwise(outcome)
    },
    plan: async (text, contexts, owner) => {
      const outcome = await pool.run({ kind: 'plan', source: text, contexts }, owner)
      return outcome.kind === 'planned' ? { value: outcome.plan } : otherwise(outcome)
    },
    close: pool.close,
  }
}

function otherwise(outcome: WorkflowOutcome): Exclude<Answer<never>, { value: never }> {
  if (outcome.kind === 'fault') return { fault: outcome.fault }
  if (outcome.kind === 'problem') return { problem: outcome.reason, log: outcome.log }
  return { problem: 'failed', log: 'a worker answered another question' }
}
