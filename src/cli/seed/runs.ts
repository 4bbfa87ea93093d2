import * as v from 'valibot'
import type { As, Call } from './client.ts'
import { logs, runnerLabel, workflowFile } from './contents.ts'

/** Adds four runs: one that succeeded, one that failed, one that was cancelled, and one that waits for a runner. */
export async function addRuns(as: As, call: Call, repository: string): Promise<void> {
  const api = `/api/v1/repos/${repository}/actions`
  const dispatch = async (by: string, ref: string) => {
    const { workflow_run_id } = await as(
      by,
      `POST ${api}/workflows/${workflowFile}/dispatches?return_run_details=true`,
      {
        ref,
      },
    )
    return workflow_run_id
  }
  const { token } = await as('nora', `POST ${api}/runners/registration-token`)
  const { id, work } = await register(call, token)
  await dispatch('emil', 'main')
  await work('RESULT_SUCCESS', logs.success)
  await dispatch('tove', 'occulting')
  await work('RESULT_FAILURE', logs.failure)
  await as('nora', `POST ${api}/runs/${await dispatch('nora', 'main')}/cancel`)
  await as('nora', `DELETE ${api}/runners/${id}`)
  await dispatch('nora', 'main')
}

const Registered = v.object({ runner: v.object({ id: v.string(), uuid: v.string(), token: v.string() }) })
const Fetched = v.object({ task: v.object({ id: v.string() }) })

/** Registers a runner, which takes a job and reports that it wrote these lines, the first in its first step. */
async function register(call: Call, token: unknown) {
  const service = 'POST /api/actions/runner.v1.RunnerService'
  const draft = { name: 'demonstration', token, labels: [runnerLabel] }
  const { runner } = v.parse(Registered, await call(`${service}/Register`, draft))
  const headers = { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token }
  return {
    id: runner.id,
    work: async (result: 'RESULT_SUCCESS' | 'RESULT_FAILURE', lines: readonly string[]) => {
      const { task } = v.parse(Fetched, await call(`${service}/FetchTask`, {}, headers))
      const time = new Date().toISOString()
      const rows = lines.map((content) => ({ time, content }))
      await call(`${service}/UpdateLog`, { taskId: task.id, rows, noMore: true }, headers)
      const times = { startedAt: time, stoppedAt: time }
      const steps = [
        { result: 'RESULT_SUCCESS', logLength: 1, ...times },
        { id: 1, result, logIndex: 1, logLength: lines.length - 1, ...times },
      ]
      await call(`${service}/UpdateTask`, { state: { id: task.id, result, steps, ...times } }, headers)
    },
  }
}
