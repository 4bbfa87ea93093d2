import { type JobWish, putRun, startRunner, type TestRunner } from '../../support/forge/actions.ts'
import { once } from './operation.ts'
import type { Scene } from './scene.ts'

/** Runs of the repository of a scene, in the states that operations need. */

/** A run with a number that the server does not give to its own. */
async function newRun({ pool, repoId, eve }: Scene, jobs: readonly JobWish[]) {
  const made = await putRun(pool, repoId, eve.id, jobs)
  await pool`update forge.action_run set number = number + 1000 where id = ${made.run}`
  return made
}

const runnerOf = ({ url, pool, repoId }: Scene) =>
  startRunner({ url, pool }, { scope: { owner_id: null, repository_id: repoId } })
const proofOf = ({ uuid, token }: TestRunner) => ({ uuid, secret: token })

/** A run whose only job waits, and a runner without one. */
export const idle = once(async (scene) => {
  const { run, jobs } = await newRun(scene, [{}])
  const runner = await runnerOf(scene)
  return { run, job_id: jobs[0] ?? 0, runner_id: runner.id, ...proofOf(runner) }
})

/** A run with a job that a runner has fetched. */
export const busy = once(async (scene) => {
  await newRun(scene, [{}, {}])
  const runner = await runnerOf(scene)
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  if (!task) throw new Error('the runner got no job')
  // The job of another run may have waited, too.
  const [{ run, job }] = await scene.pool<[{ run: number; job: number }]>`
    select run_id as run, job_id as job
    from forge.action_task
    join forge.action_job on action_job.id = job_id
    where action_task.id = ${Number(task.id)}`
  const runtime = String(task.context?.gitea_runtime_token ?? '')
  return {
    ...{ run, job_id: job, job, step: 0, runner_id: runner.id, task: Number(task.id), runtime },
    token: task.secrets.GITEA_TOKEN ?? '',
    ...proofOf(runner),
  }
})

/** A run that has failed. */
export const done = once(async (scene) => {
  const { pool } = scene
  const { run, jobs } = await newRun(scene, [{ status: 'failure' }])
  for (const table of ['action_run', 'action_attempt'])
    await pool`
      update ${pool(`forge.${table}`)} set status = 'failure'
      where ${table === 'action_run' ? pool`id` : pool`run_id`} = ${run}`
  return { run, job_id: jobs[0] ?? 0 }
})

/** A run that waits for approval. */
export const unapproved = once(async (scene) => {
  const { pool } = scene
  const { run } = await newRun(scene, [{ status: 'blocked' }])
  await pool`update forge.action_run set needs_approval = true, status = 'blocked' where id = ${run}`
  await pool`update forge.action_attempt set status = 'blocked' where run_id = ${run}`
  return { run }
})
