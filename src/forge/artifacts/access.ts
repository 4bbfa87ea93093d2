import { readRuntimeToken } from '../../actions/runner/runtime-token.ts'
import { notFound, Outdated, Problem } from '../../http/route/problem.ts'
import type { Access, RequestContext } from '../../http/route/route.ts'
import type { ForgeTools } from '../route.ts'
import { type Addressed, readAddress } from './address.ts'
import { holdRunningTask, type RunningTask, runningTask } from './artifact-store.ts'

/** Who may use the protocols of artifacts: jobs while they run, and whoever has a signed address. */

/** @throws Problem 401 the task has ended, or has never been of this run */
async function requireRunning(
  { sql, tools, from }: RequestContext<ForgeTools>,
  { task, run }: { task: number; run: number },
): Promise<RunningTask> {
  const row = await tools.limiter.run(() => runningTask(sql, task, run), from.network)
  if (!row) throw new Problem(401, 'the job has ended')
  return row
}

async function confirmRunning(task: RunningTask, tx: Parameters<typeof holdRunningTask>[0]): Promise<void> {
  if (!(await holdRunningTask(tx, task))) throw new Outdated()
}

/** A job that runs, by its runtime token. */
export const runningJob = (): Access<RunningTask, ForgeTools> => ({
  name: 'a running job',
  refusals: [401],
  admit: async (context) => {
    const { headers, tools, now } = context
    const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
    const identity = readRuntimeToken(token, tools.secrets, now)
    if (!identity) throw new Problem(401, 'the runtime token of a running job is required')
    return requireRunning(context, identity)
  },
  confirm: confirmRunning,
})

/** A job that runs and sends the content of an artifact. */
export type Uploading = RunningTask & { artifact: number }

/** Whoever has the address of an upload, while the job runs. */
export const signedUpload = (): Access<Uploading, ForgeTools> => ({
  name: 'a signed address of an upload',
  refusals: [401],
  admit: async (context) => {
    const addressed = readAddress('upload', context)
    return { ...(await requireRunning(context, addressed)), artifact: addressed.artifact }
  },
  confirm: confirmRunning,
})

/** Whoever has the address of a download. */
export const signedDownload = (): Access<Addressed, ForgeTools> => ({
  name: 'a signed address of a download',
  refusals: [401],
  admit: (context) => readAddress('download', context),
})

/** @throws Problem 404 */
export function requireSameRun(task: RunningTask, run: string): void {
  if (run !== String(task.run_id)) throw notFound('the job belongs to another run')
}
