import { type Call, calledGithub } from '../workflow/call.ts'
import type { PlanContexts } from '../workflow/plan.ts'

/*
 * The jobs of a called workflow belong to the same attempt as the job that calls it. Their keys and needs begin with the
 * number of that job, which it keeps in further attempts: `7/test`. So each key means one job, or one matrix.
 */

/** The number of the job that calls the workflow of a job; 0: the workflow of the run. */
export const callerNumber = (key: string): number => Number(/^(\d+)\//.exec(key)?.[1] ?? 0)

/** The key as the workflow file has it. */
export const bareKey = (key: string): string => key.slice(key.indexOf('/') + 1)

/** The key of a job of the workflow that the job with this number calls. */
export const scopedKey = (caller: number, key: string): string => (caller === 0 ? key : `${caller}/${key}`)

/** The job that calls the workflow of a job. */
export const callerOf = <Job extends { number: number }>(key: string, jobs: readonly Job[]) =>
  jobs.find(({ number }) => number === callerNumber(key))

/** What expressions of a called workflow know. `caller`: the job that calls it; undefined: it is that of the run. */
export const contextsIn = (
  contexts: PlanContexts,
  caller: { readonly call: Call | null } | undefined,
): PlanContexts =>
  caller?.call
    ? {
        ...contexts,
        inputs: caller.call.inputs,
        github: calledGithub(contexts.github, caller.call.inputs),
      }
    : contexts

/** Jobs, and those of the workflows that they call, directly or through others. */
export function withCalled<Job extends { key: string; number: number }>(
  jobs: readonly Job[],
  start: readonly Job[],
): Job[] {
  const numbers = new Set(start.map(({ number }) => number))
  // A job has a higher number than the one that calls its workflow.
  for (const { key, number } of jobs) if (numbers.has(callerNumber(key))) numbers.add(number)
  return jobs.filter(({ number }) => numbers.has(number))
}
