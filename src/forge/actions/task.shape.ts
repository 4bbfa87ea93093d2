import * as v from 'valibot'
import type { Status } from '../../actions/run/status.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { actionsOf } from './job.shape.ts'

/** ActionTask of the original: the work of a runner on a job. */
const ActionTask = shape('ActionTask', {
  id: int,
  name: described(v.string(), 'Name of the job'),
  head_branch: described(v.string(), 'Branch or tag'),
  head_sha: v.string(),
  run_number: described(int, 'Number of the run in its repository, counted from 1'),
  event: described(v.string(), 'What started the run, such as `push`'),
  display_title: v.string(),
  status: v.picklist(['running', 'cancelling', 'success', 'failure', 'cancelled', 'skipped']),
  workflow_id: described(v.string(), 'Path of the workflow below the folder of workflows'),
  url: described(v.string(), 'Address of the page of the run'),
  created_at: moment,
  updated_at: moment,
  run_started_at: described(moment, 'When the runner began'),
})
type ActionTask = v.InferOutput<typeof ActionTask>

/** ActionTaskResponse of the original: a page of tasks. */
export const ActionTaskResponse = shape('ActionTaskResponse', {
  workflow_runs: described(v.array(ActionTask), 'The tasks'),
  total_count: int,
})

/** A task as lists read it. */
export interface ListedTask {
  id: number
  name: string
  ref: string
  commit_sha: string
  run_id: number
  run_number: number
  event: string
  title: string
  status: Exclude<Status, 'requested' | 'blocked' | 'queued'>
  workflow_file: string
  owner_name: string
  repository_name: string
  created_at: string
  updated_at: string
  started_at: string
}

/** A task as the API prints it; `host` is the base URL of links (`from.host`). */
export const printTask = (task: ListedTask, host: string): ActionTask => ({
  id: task.id,
  name: task.name,
  head_branch: task.ref.replace(/^refs\/(?:heads|tags)\//, ''),
  head_sha: task.commit_sha,
  run_number: task.run_number,
  event: task.event,
  display_title: task.title,
  status: task.status === 'in_progress' ? 'running' : task.status,
  workflow_id: task.workflow_file,
  url: `${actionsOf(task, host).html}/runs/${task.run_id}`,
  created_at: printTime(task.created_at, EPOCH),
  updated_at: printTime(task.updated_at, EPOCH),
  run_started_at: printTime(task.started_at, EPOCH),
})
