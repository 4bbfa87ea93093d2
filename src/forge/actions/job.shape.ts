import * as v from 'valibot'
import { API_STATUSES, apiStatus } from '../../actions/run/api-status.ts'
import type { Status } from '../../actions/run/status.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'

/** Status and conclusion of runs, jobs and steps. */
export const state = {
  status: v.picklist(API_STATUSES),
  /** Absent until it has ended. */
  conclusion: v.optional(v.picklist(['success', 'failure', 'cancelled', 'skipped'])),
}

/** When runs, jobs and steps begin and end. */
export const times = {
  started_at: described(moment, '1970-01-01T00:00:00Z until it starts'),
  completed_at: described(moment, '1970-01-01T00:00:00Z until it ends'),
}

/** A step of a job; times that are not known yet are 1970. */
const WorkflowStep = shape('WorkflowStep', {
  name: v.string(),
  number: described(int, 'Counted from 0'),
  ...state,
  ...times,
})
type WorkflowStep = v.InferOutput<typeof WorkflowStep>

/** A job of one attempt of a run. */
export const WorkflowJob = shape('WorkflowJob', {
  id: int,
  url: v.string(),
  html_url: v.string(),
  run_id: int,
  run_url: v.string(),
  name: v.string(),
  labels: described(v.array(v.string()), 'Labels that its runner must have: `runs-on`'),
  run_attempt: int,
  head_sha: v.string(),
  head_branch: v.optional(v.string()),
  ...state,
  runner_id: described(v.optional(int), 'Absent until a runner takes the job'),
  runner_name: described(v.optional(v.string()), 'Absent until a runner takes the job'),
  steps: v.array(WorkflowStep),
  created_at: moment,
  ...times,
})
export type WorkflowJob = v.InferOutput<typeof WorkflowJob>

/** A page of jobs. */
export const WorkflowJobsList = shape('WorkflowJobsList', { jobs: v.array(WorkflowJob), total_count: int })

/** A stored step. */
interface StoredStep {
  number: number
  name: string
  status: Status
  started_at: string | null
  stopped_at: string | null
}

/** A job as lists read it, with data of its run, repository and task. */
export interface ListedJob {
  id: number
  run_id: number
  attempt: number
  /** Its number in the attempt, and its key (`actions/run/call-scope.ts`). */
  number: number
  key: string
  /** The workflow that it calls, as written; null: it has steps. */
  uses: string | null
  name: string
  runs_on: string[]
  /** The deployment environment that it names, and where that is found; null: none. */
  environment: string | null
  environment_url: string | null
  status: Status
  /** Whether the run awaits an approval. */
  needs_approval: boolean
  commit_sha: string
  ref: string
  owner_name: string
  repository_name: string
  /** Null until a runner takes the job. */
  runner_id: number | null
  runner_name: string | null
  steps: StoredStep[]
  created_at: string
  started_at: string | null
  stopped_at: string | null
}

/** A job as the API prints it; `host` is the base URL of links (`from.host`). */
export function printJob(job: ListedJob, host: string): WorkflowJob {
  const { api, html } = actionsOf(job, host)
  const branch = branchOf(job.ref)
  return {
    id: job.id,
    url: `${api}/jobs/${job.id}`,
    html_url: `${html}/runs/${job.run_id}/jobs/${job.id}`,
    run_id: job.run_id,
    run_url: `${api}/runs/${job.run_id}`,
    name: job.name,
    labels: job.runs_on,
    run_attempt: job.attempt,
    head_sha: job.commit_sha,
    ...(branch !== undefined && { head_branch: branch }),
    ...apiStatus(job.status, job.needs_approval),
    ...(job.runner_id !== null && { runner_id: job.runner_id }),
    ...(job.runner_name && { runner_name: job.runner_name }),
    steps: job.steps.map(printStep),
    created_at: printTime(job.created_at, EPOCH),
    started_at: printTime(job.started_at, EPOCH),
    completed_at: printTime(job.stopped_at, EPOCH),
  }
}

function printStep({ name, number, status, started_at, stopped_at }: StoredStep): WorkflowStep {
  return {
    name,
    number,
    ...apiStatus(status, false),
    started_at: printTime(started_at, EPOCH),
    completed_at: printTime(stopped_at, EPOCH),
  }
}

/** URLs of the Actions of a repository: in the API and on the web. */
export function actionsOf(
  { owner_name, repository_name }: Pick<ListedJob, 'owner_name' | 'repository_name'>,
  host: string,
): { api: string; html: string } {
  const path = `${owner_name}/${repository_name}/actions`
  return { api: `${host}api/v1/repos/${path}`, html: `${host}${path}` }
}

/** The short name of a branch; undefined for other refs. */
export function branchOf(ref: string): string | undefined {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined
}
