import type { PlannedJobs } from '../workflow/plan.ts'
import type { JobDraft } from './job-store.ts'
import { shortText, storableText } from './storable-text.ts'

/** A fault of the whole file, reported where its author looks for it: in the log of a failed job. */
export function failedJob(file: string, fault: string): JobDraft {
  return {
    ...jobDefaults,
    name: shortText(file),
    key: 'workflow',
    message: storableText(fault),
    status: 'failure',
  }
}

const jobDefaults = {
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
  expansion: null,
  concurrency_source: null,
  concurrency_group: null,
  concurrency_cancels: false,
  permissions: null,
} as const

/** A planned job as it is stored. */
export function jobDraftOf(job: PlannedJobs[number]): JobDraft {
  const common = { ...jobDefaults, key: job.key, name: shortText(job.name) || job.key }
  if (job.fault !== undefined) return { ...common, message: storableText(job.fault), status: 'failure' }
  if (job.expansion !== undefined) {
    const { needs, expansion } = job
    const condition = storableText(job.condition)
    return { ...common, needs, condition, expansion, message: '', status: 'requested' }
  }
  return {
    ...common,
    needs: job.needs,
    runs_on: job.labels.map(storableText),
    payload: job.payload,
    step_names: job.steps.map(storableText),
    condition: storableText(job.condition),
    matrix: job.matrix ? JSON.stringify(job.matrix) : null,
    continue_on_error: job.continueOnError,
    timeout_minutes: job.timeoutMinutes ?? null,
    fails_fast: job.failsFast,
    max_parallel: job.maxParallel ?? null,
    concurrency_source: job.deferredConcurrency
      ? storableText(JSON.stringify(job.deferredConcurrency))
      : null,
    concurrency_group: job.concurrency ? shortText(job.concurrency.group) : null,
    concurrency_cancels: job.concurrency?.cancel ?? false,
    permissions: job.permissions ? JSON.stringify(job.permissions) : null,
    message: '',
    status: job.needs.length > 0 || job.maxParallel !== undefined ? 'requested' : 'blocked',
  }
}
