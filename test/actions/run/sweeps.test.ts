import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import {
  cancelAbandoned,
  cleanLogs,
  removeLostRunners,
  removeOldRuns,
  stopOverdue,
  stopTimedOut,
  stopZombies,
} from '../../../src/actions/run/sweeps.ts'
import { Result } from '../../../src/actions/runner/protocol/messages.ts'
import { presetToken, registrationToken } from '../../../src/actions/runner/registration-store.ts'
import { siteScope } from '../../../src/actions/secrets/scope-store.ts'
import { ClockWatch } from '../../../src/background/clock-watch.ts'
import { actionsTasks } from '../../../src/forge/actions/cron-tasks.ts'
import { createLog } from '../../../src/log.ts'
import { startApp } from '../../support/app.ts'
import { settableClocks } from '../../support/clock.ts'
import { bareRepository, putRun, rows, runnerClient, startRunner } from '../../support/forge/actions.ts'
import { testSecrets } from '../../support/forge/make.ts'
import { keepLines } from '../../support/sink.ts'

const app = await startApp()
const { pool, clock, url, make } = app
const ada = await make.person({ name: 'ada' })
const minute = 60_000
const hour = 60 * minute

const sweep = () => ({ sql: pool, begin: make.begin, now: clock.now(), signal: new AbortController().signal })

let repositories = 0

/** A job in the hands of a runner. */
async function working(ephemeral = false, timeout: number | null = null) {
  const { id } = await bareRepository(pool, ada, `code${++repositories}`)
  const { run, jobs } = await putRun(pool, id, ada.id, [{}])
  // The sweeps go by the clock of the tests.
  await pool`
    update forge.action_job set updated_at = ${clock.now()}, timeout_minutes = ${timeout} where run_id = ${run}`
  const runner = await startRunner(app, { scope: { owner_id: null, repository_id: id }, ephemeral })
  const { task } = await runner.client.fetchTask({})
  assert.ok(task)
  return { ...runner, run, job: jobs[0] ?? 0, task: task.id, repository: id, name: `code${repositories}` }
}

/** The log of a job as the API sends it, without the moments of its lines. */
async function logOf({ name, job }: { name: string; job: number }): Promise<string> {
  const response = await fetch(`${url}/api/v1/repos/ada/${name}/actions/jobs/${job}/logs`, {
    headers: { authorization: ada.authorization },
  })
  assert.equal(response.status, 200)
  return (await response.text()).replaceAll(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z /gm, '')
}

async function statusOf({ run, job, task }: { run: number; job: number; task: bigint }) {
  const [row] = await pool`
    select run.status as run, job.status as job, task.status as task, task.log_sealed as sealed
    from forge.action_run as run
    join forge.action_job as job on job.run_id = run.id
    join forge.action_task as task on task.job_id = job.id
    where run.id = ${run} and job.id = ${job} and task.id = ${Number(task)}`
  return [row?.run, row?.job, row?.task, row?.sealed]
}

test('a task whose runner is silent for ten minutes fails; one that is being cancelled is cancelled', async () => {
  const [silent, cancelling, alive] = [await working(), await working(), await working()]
  await pool`update forge.action_task set status = 'cancelling' where id = ${Number(cancelling.task)}`
  clock.tick(9 * minute)
  assert.equal(await stopZombies(sweep()), 0)
  await alive.client.updateTask({ state: { id: alive.task } })
  clock.tick(minute + 1)
  const both = await Promise.all([stopZombies(sweep()), stopZombies(sweep())])
  assert.equal(both[0] + both[1], 2, 'each is stopped once')
  assert.deepEqual(await statusOf(silent), ['failure', 'failure', 'failure', true])
  assert.deepEqual(await statusOf(cancelling), ['cancelled', 'cancelled', 'cancelled', true])
  assert.deepEqual(await statusOf(alive), ['in_progress', 'in_progress', 'in_progress', false])
  const late = await silent.client.updateTask({ state: { id: silent.task, result: Result.success } })
  assert.equal(late.state?.result, Result.failure)
  const going = await silent.client.updateTask({ state: { id: silent.task } })
  assert.equal(going.state?.result, Result.cancelled, 'what every runner stops for')
  const lost = 'The runner did not report for ten minutes, so the server ended the job.\n'
  assert.equal(await logOf(silent), lost)
  assert.equal(await logOf(alive), '')
})

test('a task fails two minutes after its timeout-minutes although its runner reports, and its log says so', async () => {
  const [short, long, unbounded] = [await working(false, 5), await working(false, 60), await working()]
  const alive = [short, long, unbounded]
  await short.client.updateLog({ taskId: short.task, index: 0n, rows: rows('line'), noMore: false })
  for (let minutes = 0; minutes < 7; minutes++) {
    clock.tick(minute)
    for (const { client, task } of alive) await client.updateTask({ state: { id: task } })
    assert.equal(await stopTimedOut(sweep()), 0, `after ${minutes + 1} minutes`)
  }
  clock.tick(1)
  const both = await Promise.all([stopTimedOut(sweep()), stopTimedOut(sweep())])
  assert.equal(both[0] + both[1], 1, 'it is stopped once')
  assert.deepEqual(await statusOf(short), ['failure', 'failure', 'failure', true])
  for (const other of [long, unbounded])
    assert.deepEqual(await statusOf(other), ['in_progress', 'in_progress', 'in_progress', false])
  const note = 'The job took longer than its timeout-minutes, so the server ended it.'
  assert.equal(await logOf(short), `line\n${note}\n`)
  const told = await short.client.updateTask({ state: { id: short.task } })
  assert.equal(told.state?.result, Result.cancelled)
  const late = await short.client.updateLog({ taskId: short.task, index: 1n, rows: [], noMore: true })
  assert.equal(late.ackIndex, 1n, 'the sentence is no line that the runner could miss')
  await pool`update forge.action_task set log_expired = true where id = ${Number(short.task)}`
  await assert.rejects(logOf(short))
  for (const { client, task } of [long, unbounded])
    await client.updateTask({ state: { id: task, result: Result.success } })
})

test('DELETE /api/v1/admin/actions/runners/{runner_id}: the log of its job ends with the reason', async () => {
  const boss = await make.admin({ name: 'boss' })
  const left = await working()
  await left.client.updateLog({ taskId: left.task, index: 0n, rows: rows('one', 'two') })
  const { status } = await app.call('DELETE /api/v1/admin/actions/runners/{runner_id}', {
    as: boss,
    params: { runner_id: left.id },
  })
  assert.equal(status, 204)
  assert.equal(await logOf(left), 'one\ntwo\nThe runner was deleted while it worked on this job.\n')
  // It may still send what it owes; that comes before the sentence.
  const more = await left.client.updateLog({
    taskId: left.task,
    index: 2n,
    rows: rows('three'),
    noMore: true,
  })
  assert.equal(more.ackIndex, 3n)
  assert.equal(await logOf(left), 'one\ntwo\nthree\nThe runner was deleted while it worked on this job.\n')
})

test('a task that exceeds the limit of the server fails although its runner reports', async () => {
  const endless = await working()
  clock.tick(3 * hour)
  await endless.client.updateTask({ state: { id: endless.task } })
  assert.equal(await stopOverdue(sweep(), 3 * hour), 1, 'that of the first test')
  assert.deepEqual(await statusOf(endless), ['in_progress', 'in_progress', 'in_progress', false])
  clock.tick(1)
  assert.equal(await stopOverdue(sweep(), 3 * hour), 1)
  assert.deepEqual(await statusOf(endless), ['failure', 'failure', 'failure', true])
  const note = 'The job took longer than this server allows, so the server ended it.'
  assert.equal(await logOf(endless), `${note}\n`)
})

test('a job that no runner took for a day is cancelled, and its run with it', async () => {
  const { id } = await bareRepository(pool, ada, `code${++repositories}`)
  const { run, jobs } = await putRun(pool, id, ada.id, [{}, { status: 'blocked' }, { status: 'requested' }])
  await pool`update forge.action_job set updated_at = ${clock.now()} where run_id = ${run}`
  clock.tick(24 * hour)
  assert.equal(await cancelAbandoned(sweep()), 0)
  clock.tick(1)
  assert.equal(await cancelAbandoned(sweep()), 2)
  const found = await pool<{ status: string }[]>`
    select status from forge.action_job where id = any(${jobs}::bigint[]) order by number`
  assert.deepEqual(
    found.slice(0, 2).map(({ status }) => status),
    ['cancelled', 'cancelled'],
  )
})

test('an ephemeral runner that requested no job for a day is deleted, one with a job is not', async () => {
  const busy = await working(true)
  const idle = await startRunner(app, { ephemeral: true })
  clock.tick(24 * hour + 1)
  assert.equal(await removeLostRunners(sweep()), 1)
  const refused = (error: unknown) => error instanceof ConnectError && error.code === Code.Unauthenticated
  await assert.rejects(idle.client.fetchTask({}), refused)
  assert.equal((await busy.client.fetchTask({})).task, undefined)
  clock.tick(2 * hour)
  await removeLostRunners(sweep())
  assert.equal((await pool`select id from forge.action_runner where id = ${idle.id}`).length, 0)
})

test('logs left open are closed, and old logs and runs are removed', async () => {
  const done = await working()
  const send = (index: bigint) => done.client.updateLog({ taskId: done.task, index, rows: rows('line') })
  await send(0n)
  await done.client.updateTask({
    state: { id: done.task, result: Result.success, stoppedAt: seconds(clock.now()) },
  })
  clock.tick(hour + 1)
  assert.equal(await cleanLogs(sweep(), 365 * 24 * hour), 0)
  await assert.rejects(
    send(1n),
    (error) => error instanceof ConnectError && error.code === Code.AlreadyExists,
  )
  clock.tick(365 * 24 * hour)
  assert.ok((await cleanLogs(sweep(), 365 * 24 * hour)) >= 1)
  assert.equal(
    (await pool`select task_id from forge.action_log where task_id = ${Number(done.task)}`).length,
    0,
  )
  const [task] =
    await pool`select log_expired, log_lines from forge.action_task where id = ${Number(done.task)}`
  assert.deepEqual([task?.log_expired, task?.log_lines], [true, 1])
  assert.equal(await removeOldRuns(sweep(), 400 * 24 * hour), 0)
  assert.ok((await removeOldRuns(sweep(), 300 * 24 * hour)) >= 1)
  assert.equal((await pool`select id from forge.action_task where id = ${Number(done.task)}`).length, 0)
})

test('a preset registration token replaces the active one once', async () => {
  const { token: before } = await registrationToken(pool, testSecrets, siteScope, clock.now())
  const preset = 'a-token-that-the-operator-made-up-itself'
  const presetting = () => make.begin((tx) => presetToken(tx, testSecrets, siteScope, preset))
  assert.equal(await presetting(), true)
  assert.equal(await presetting(), false)
  assert.deepEqual(await registrationToken(pool, testSecrets, siteScope, clock.now()), {
    token: preset,
    made: false,
  })
  const client = runnerClient(url, 'protobuf')
  assert.equal((await client.register({ name: 'r', token: preset })).runner?.name, 'r')
  const refused = (error: unknown) => error instanceof ConnectError && error.code === Code.PermissionDenied
  await assert.rejects(client.register({ name: 'r', token: before }), refused)
})

function seconds(moment: Date) {
  return {
    $typeName: 'google.protobuf.Timestamp' as const,
    seconds: BigInt(moment.getTime()) / 1000n,
    nanos: 0,
  }
}

test('after a start, and after the clock was set, runners have ten minutes to report again', async () => {
  const silent = await working()
  clock.tick(11 * minute)
  const clocks = settableClocks()
  const watch = new ClockWatch(clocks)
  const tasks = actionsTasks({ longestJob: 3 * hour, logsKept: hour, runsKept: undefined }, watch)
  const task = tasks.find(({ name }) => name === 'stop_zombie_tasks')
  const stop = () => task?.run({ ...sweep(), log: createLog('info', keepLines()) })
  const none = /^nothing yet: runners may report for ten minutes/
  assert.match((await stop()) ?? '', none)
  clocks.pass(9 * minute)
  assert.match((await stop()) ?? '', none)
  clocks.pass(minute)
  clocks.set(hour)
  assert.match((await stop()) ?? '', none, 'the clock was set')
  clocks.set(-hour)
  assert.deepEqual(await statusOf(silent), ['in_progress', 'in_progress', 'in_progress', false])
  assert.match((await stop()) ?? '', /stopped$/)
})
