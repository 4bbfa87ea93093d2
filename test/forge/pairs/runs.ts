import { putRun, startRunner, type TestRunner } from '../../support/forge/actions.ts'
import { once } from './operation.ts'
import type { Scene } from './scene.ts'

/** Runs of the repository of a scene, in the states that operations need. */

const runnerOf = ({ url, pool, repoId }: Scene) =>
  startRunner({ url, pool }, { scope: { owner_id: null, repository_id: repoId } })
const proofOf = ({ uuid, token }: TestRunner) => ({ uuid, secret: token })

/** A run whose only job waits, and a runner without one. */
export const idle = once(async (scene) => {
  const { run, jobs } = await putRun(scene.pool, scene.repoId, scene.eve.id, [{}])
  const runner = await runnerOf(scene)
  return { run, job_id: jobs[0] ?? 0, runner_id: runner.id, ...proofOf(runner) }
})

/** A run with a job that a runner has fetched. */
export const busy = once(async (scene) => {
  const { run, jobs } = await putRun(scene.pool, scene.repoId, scene.eve.id, [{}, {}])
  const runner = await runnerOf(scene)
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  if (!task) throw new Error('the runner got no job')
  const job = { run, job_id: jobs[0] ?? 0, job: jobs[0] ?? 0, step: 0, runner_id: runner.id }
  const runtime = String(task.context?.gitea_runtime_token ?? '')
  return { ...job, task: Number(task.id), token: task.secrets.GITEA_TOKEN ?? '', runtime, ...proofOf(runner) }
})

/** A run that has failed. */
export const done = once(async ({ pool, repoId, eve }) => {
  const { run, jobs } = await putRun(pool, repoId, eve.id, [{ status: 'failure' }])
  for (const table of ['action_run', 'action_attempt'])
    await pool`
      update ${pool(`forge.${table}`)} set status = 'failure'
      where ${table === 'action_run' ? pool`id` : pool`run_id`} = ${run}`
  return { run, job_id: jobs[0] ?? 0 }
})

/** A run that waits for approval. */
export const unapproved = once(async ({ pool, repoId, eve }) => {
  const { run } = await putRun(pool, repoId, eve.id, [{ status: 'blocked' }])
  await pool`update forge.action_run set needs_approval = true, status = 'blocked' where id = ${run}`
  await pool`update forge.action_attempt set status = 'blocked' where run_id = ${run}`
  return { run }
})
