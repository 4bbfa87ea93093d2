import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseJob } from '../../../src/actions/run/job-store.ts'
import { cancelAttempt } from '../../../src/actions/run/state.ts'
import { Result } from '../../../src/actions/runner/protocol/messages.ts'
import { deleteTask } from '../../../src/actions/runner/task-store.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { bareRepository, putRun, rows, startRunner } from '../../support/forge/actions.ts'
import { untilLocked } from '../../support/wait.ts'

const app = await startApp()
const { pool, make } = app
const ada = await make.person({ name: 'ada' })

let repositories = 0

async function working(capabilities: string[]) {
  const { id } = await bareRepository(pool, ada, `code${++repositories}`)
  const { run, jobs } = await putRun(pool, id, ada.id, [{}])
  const { client } = await startRunner(app, { scope: { owner_id: null, repository_id: id }, capabilities })
  const { task } = await client.fetchTask({})
  assert.ok(task)
  const job = jobs[0] ?? 0
  const status = async () =>
    (
      await pool`
      select job.status as job, run.status as run
      from forge.action_job as job
      join forge.action_run as run on run.id = job.run_id
      where job.id = ${job}`
    )[0]
  const cancel = () => make.begin((tx) => cancelAttempt(tx, { run, attempt: 1 }))
  const tell = (result: number) =>
    client.updateTask({ state: { id: task.id, result } }).then(({ state }) => state?.result)
  return { client, task: task.id, run, job, status, cancel, tell }
}

test('a runner that supports cancellation ends a cancelled job itself', async () => {
  const { client, task, status, cancel, tell } = await working(['cancelling'])
  assert.equal(await tell(Result.unspecified), Result.unspecified)
  assert.equal(await cancel(), true)
  assert.deepEqual(await status(), { job: 'cancelling', run: 'cancelling' })
  assert.equal(await tell(Result.unspecified), Result.cancelled)
  assert.equal((await client.updateLog({ taskId: task, index: 0n, rows: rows('cleaning up') })).ackIndex, 1n)
  assert.deepEqual(await status(), { job: 'cancelling', run: 'cancelling' })
  assert.equal(await tell(Result.success), Result.cancelled, 'whatever it says in the end')
  assert.deepEqual(await status(), { job: 'cancelled', run: 'cancelled' })
})

test('any other runner learns from the reply to its next report that the job is cancelled', async () => {
  const { client, task, status, cancel, tell } = await working([])
  assert.equal(await cancel(), true)
  assert.deepEqual(await status(), { job: 'cancelled', run: 'cancelled' })
  const steps = await pool`select status from forge.action_step where task_id = ${Number(task)}`
  assert.deepEqual(
    steps.map((step) => step.status),
    ['cancelled', 'cancelled'],
  )
  assert.equal(await tell(Result.unspecified), Result.cancelled)
  assert.equal(
    (await client.updateLog({ taskId: task, index: 0n, rows: rows('late'), noMore: true })).ackIndex,
    1n,
  )
  assert.equal(await tell(Result.failure), Result.cancelled)
  assert.deepEqual(await status(), { job: 'cancelled', run: 'cancelled' })
})

test('a job that its runner returns during the cancellation does not start again', {
  skip: !onServer,
}, async () => {
  const { task, job, status, cancel } = await working([])
  let open = () => {}
  let told = () => {}
  const limiter = new Promise<void>((resolve) => (open = resolve))
  const held = new Promise<void>((resolve) => (told = resolve))
  const giving = make.begin(async (tx) => {
    await deleteTask(tx, Number(task))
    await releaseJob(tx, job)
    told()
    await limiter
  })
  await held
  const cancelling = cancel()
  await untilLocked(pool, 'the cancelling waits')
  open()
  await giving
  assert.equal(await cancelling, true)
  assert.deepEqual(await status(), { job: 'cancelled', run: 'cancelled' })
})
