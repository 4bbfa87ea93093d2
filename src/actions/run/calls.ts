import { mergeOutput } from '../runner/output-store.ts'
import { evaluateOutputs } from '../workflow/call.ts'
import { attempt } from '../workflow/fault.ts'
import { valueFrom } from '../workflow/values.ts'
import type { AttemptJob } from './attempt-job-store.ts'
import { bareKey, callerNumber } from './call-scope.ts'
import { type RuntimeFacts, scopedNames } from './runtime-context.ts'
import { aggregate, isFinal } from './status.ts'
import { storableText } from './storable-text.ts'

/** The end of jobs that call workflows: it follows from the jobs of those. */

const calledBy = (jobs: readonly AttemptJob[], { number }: AttemptJob) =>
  jobs.filter(({ key }) => callerNumber(key) === number)

/** Jobs whose called jobs have all ended. */
export const endedCalls = (jobs: readonly AttemptJob[]): AttemptJob[] =>
  jobs.filter(
    (job) =>
      job.call !== null && !isFinal(job.status) && calledBy(jobs, job).every(({ status }) => isFinal(status)),
  )

export const hasEndedCall = ({ call, status }: AttemptJob) => call !== null && isFinal(status)

export const returnsOutputs = ({ call }: AttemptJob) => Object.keys(call?.outputs ?? {}).length > 0

/** The job with the combined status of the jobs that it has called, and the outputs of that workflow. */
export function endCall(
  job: AttemptJob,
  jobs: readonly AttemptJob[],
  runtime: RuntimeFacts | undefined,
): AttemptJob {
  const called = calledBy(jobs, job)
  const status = aggregate(called)
  const { call } = job
  if (!call || !runtime || !returnsOutputs(job)) return { ...job, status }
  const results = [...new Set(called.map(({ key }) => key))].map((key) => {
    const result = aggregate(called.filter((each) => each.key === key))
    return [bareKey(key), { result, outputs: runtime.outputs.get(key) ?? {} }] as const
  })
  const evaluated = attempt(() =>
    evaluateOutputs(call, scopedNames(runtime, job), valueFrom(Object.fromEntries(results))),
  )
  if (!evaluated.ok) return { ...job, status: 'failure', message: storableText(evaluated.fault) }
  const outputs = Object.fromEntries(
    Object.entries(evaluated.value).map(([name, value]) => [storableText(name), storableText(value)]),
  )
  addOutputs(runtime, job.key, outputs)
  return { ...job, status, call_outputs: outputs }
}

function addOutputs({ outputs }: RuntimeFacts, key: string, added: Readonly<Record<string, string>>): void {
  const merged = new Map(Object.entries(outputs.get(key) ?? {}))
  for (const [name, value] of Object.entries(added)) mergeOutput(merged, name, value)
  outputs.set(key, Object.fromEntries(merged))
}
