import type { PlannedJobs } from '../workflow/plan.ts'
import type { CalledWorkflow } from './called-workflow-store.ts'
import { tooManyFiles } from './called-workflows.ts'
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
  environment: null,
  environment_url: null,
  fails_fast: false,
  max_parallel: null,
  expansion: null,
  caller: null,
  called_number: null,
  concurrency_source: null,
  concurrency_group: null,
  concurrency_cancels: false,
  permissions: null,
} as const

/** A planned job as it is stored. `called`: the workflows that jobs of its file call. */
export function jobDraftOf(
  job: PlannedJobs[number],
  called: readonly Omit<CalledWorkflow, 'source'>[],
): JobDraft {
  const common = { ...jobDefaults, key: job.key, name: shortText(job.name) || job.key }
  if (job.fault !== undefined) return { ...common, message: storableText(job.fault), status: 'failure' }
  if (job.expansion !== undefined) {
    const { needs, expansion } = job
    const condition = storableText(job.condition)
    return { ...common, needs, condition, expansion, message: '', status: 'requested' }
  }
  const target = job.caller === undefined ? undefined : called.find(({ uses }) => uses === job.uses)
  if (job.caller !== undefined && (!target || target.fault !== null))
    return { ...common, message: target?.fault ?? tooManyFiles, status: 'failure' }
  return {
    ...common,
    caller: job.caller ?? null,
    called_number: target?.number ?? null,
    needs: job.needs,
    runs_on: job.labels.map(storableText),
    payload: job.payload ?? null,
    step_names: job.steps.map(storableText),
    condition: storableText(job.condition),
    matrix: job.matrix ? JSON.stringify(job.matrix) : null,
    continue_on_error: job.continueOnError,
    timeout_minutes: job.timeoutMinutes ?? null,
    environment: job.environment ? shortText(job.environment.name) : null,
    environment_url: job.environment?.url === undefined ? null : storableText(job.environment.url),
    fails_fast: job.failsFast,
    max_parallel: job.maxParallel ?? null,
    concurrency_source: job.deferredConcurrency
      ? storableText(JSON.stringify(job.deferredConcurrency))
      : null,
    concurrency_group: job.concurrency ? shortText(job.concurrency.group) : null,
    concurrency_cancels: job.concurrency?.cancel ?? false,
    permissions: job.permissions ? JSON.stringify(job.permissions) : null,
    message: '',
    status:
      job.needs.length > 0 || job.maxParallel !== undefined || job.caller !== undefined
        ? 'requested'
        : 'blocked',
  }
}
