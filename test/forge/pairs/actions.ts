import { putRun, startRunner, type TestRunner } from '../../support/forge/actions.ts'
import { bearer } from '../../support/forge/make.ts'
import type { Operation, Prepared, Scene } from './scene.ts'

/** Operations that meet in a run, job or runner of the repository of a scene, with the calls of runners. */

/** Runs and runners that the operations of a pair share, by scene. */
const shared = new WeakMap<Scene, Map<string, Promise<Prepared>>>()

/** What the first operation of a pair prepares under a name, the second one finds. */
function sharing(name: string, prepare: (scene: Scene) => Promise<Prepared>): Operation['before'] {
  return (scene) => {
    const known = shared.get(scene) ?? new Map<string, Promise<Prepared>>()
    shared.set(scene, known)
    const prepared = known.get(name) ?? prepare(scene)
    known.set(name, prepared)
    return prepared
  }
}

/** The headers by which a runner proves itself. */
const proof = ({ uuid, token }: TestRunner) => ({ 'x-runner-uuid': uuid, 'x-runner-token': token })

const runnerOf = ({ url, pool, repoId }: Scene) =>
  startRunner({ url, pool }, { scope: { owner_id: null, repository_id: repoId } })

const idle = sharing('idle', async (scene) => {
  const { run, jobs } = await putRun(scene.pool, scene.repoId, scene.eve.id, [{}])
  const runner = await runnerOf(scene)
  return { run, job_id: jobs[0] ?? 0, runner_id: runner.id, headers: proof(runner) }
})

const busy = sharing('busy', async (scene) => {
  const { run, jobs } = await putRun(scene.pool, scene.repoId, scene.eve.id, [{}, {}])
  const runner = await runnerOf(scene)
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  if (!task) throw new Error('the runner got no job')
  const job = { run, job_id: jobs[0] ?? 0, runner_id: runner.id }
  return { ...job, task: Number(task.id), token: task.secrets.GITEA_TOKEN ?? '', headers: proof(runner) }
})

const done = sharing('done', async ({ pool, repoId, eve }) => {
  const { run, jobs } = await putRun(pool, repoId, eve.id, [{ status: 'failure' }])
  for (const table of ['action_run', 'action_attempt'])
    await pool`
      update ${pool(`forge.${table}`)} set status = 'failure'
      where ${table === 'action_run' ? pool`id` : pool`run_id`} = ${run}`
  return { run, job_id: jobs[0] ?? 0 }
})

const base = (literal: string, before: Operation['before']): Operation => ({
  literal: literal.replace(' ', ' /api/v1/repos/{owner}/{repo}/actions'),
  as: ({ eve }) => eve,
  params: ({ guild, repo }) => ({ owner: guild, repo }),
  kind: 'actions',
  ...(before && { before }),
})

const byRunner = (name: string, before: Operation['before'], body: Operation['body']): Operation => ({
  literal: `POST /api/actions/runner.v1.RunnerService/${name}`,
  as: ({ eve }) => eve,
  params: () => ({}),
  kind: 'actions',
  ...(before && { before }),
  ...(body && { body }),
})

const inTable = async (
  { pool }: Scene,
  table: 'action_run' | 'action_runner',
  id: Prepared[string] | undefined,
) => (await pool`select from ${pool(`forge.${table}`)} where id = ${Number(id)}`).length === 1

const rerunHolds: Operation['holds'] = async ({ pool }, _, { run }) =>
  (await pool`select from forge.action_run where id = ${Number(run)} and attempt = 2`).length === 1

export const actionsOperations: readonly Operation[] = [
  base('POST /runs/{run}/cancel', idle),
  base('POST /runs/{run}/cancel', busy),
  {
    ...base('DELETE /runs/{run}', done),
    holds: async (scene, _, { run }) => !(await inTable(scene, 'action_run', run)),
  },
  { ...base('POST /runs/{run}/rerun', done), holds: rerunHolds },
  { ...base('POST /runs/{run}/rerun-failed-jobs', done), holds: rerunHolds },
  { ...base('POST /runs/{run}/jobs/{job_id}/rerun', done), holds: rerunHolds },
  {
    ...base('DELETE /runners/{runner_id}', busy),
    holds: async ({ pool }, _, { runner_id }) =>
      (
        await pool`
          select from forge.action_runner where id = ${Number(runner_id)} and deleted_at is null`
      ).length === 0,
  },
  base('DELETE /runners/{runner_id}', idle),
  base('DELETE /runners/registration-token', undefined),
  {
    ...byRunner(
      'Register',
      async (scene) => {
        const [row] = await scene.pool<
          [{ sum: number }]
        >`select count(*)::int as sum from forge.action_runner`
        return { name: `late${row.sum}`, token: await scene.registrationToken() }
      },
      (_, { name, token }) => ({ name, token, labels: ['self-hosted'], version: 'v3.3.0' }),
    ),
  },
  byRunner('FetchTask', idle, () => ({})),
  {
    ...byRunner('UpdateTask', busy, (_, { task }) => ({ state: { id: task, result: 'RESULT_SUCCESS' } })),
    holds: async ({ pool }, _, { job_id }) =>
      (await pool`select from forge.action_job where id = ${Number(job_id)} and status <> 'running'`)
        .length === 1,
  },
  byRunner('UpdateLog', busy, (_, { task }) => ({ taskId: task, index: 0, rows: [], noMore: false })),
  {
    ...base('POST ', busy),
    literal: 'POST /api/v1/repos/{owner}/{repo}/issues',
    as: (_, { token }) => bearer(String(token)),
    body: () => ({ title: 'It leaks' }),
  },
]
