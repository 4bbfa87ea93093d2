import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rows, startRunner } from '../../support/forge/actions.ts'
import { cancelled, failure, runsIn, steps, success, take } from '../../support/forge/runs.ts'
import { startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const { call, pool, ada, make } = forge
const eve = await make.person({ name: 'eve' })
const repo = await startRepository(forge, 'tool')

const CANCEL = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/cancel'
const RERUN = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/rerun'
const FAILED = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs'
const JOB = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/jobs/{job_id}/rerun'
const DELETE = 'DELETE /api/v1/repos/{owner}/{repo}/actions/runs/{run}'

const { push, look, newestFile } = runsIn(forge, repo)

const runner = await startRunner(forge, { labels: ['x'], capabilities: [] })
const graceful = await startRunner(forge, { name: 'r2', labels: ['y'], capabilities: ['cancelling'] })

/** Takes the next job and ends it. */
const work = async (result: number, by = runner) => (await take(by)).end(result)

/** A moment of a runner, so many seconds after the clock of the tests starts. */
const at = (second: number) => {
  const seconds = 1_769_846_400n + BigInt(second)
  return { $typeName: 'google.protobuf.Timestamp' as const, seconds, nanos: 0 }
}

const onRun = (run: number) => ({ as: ada, params: { owner: 'ada', repo: 'tool', run } })

test('jobs that need others run, are skipped, or run in any case, depending on how these end', async () => {
  const run = await push(`
a: {runs-on: x, ${steps}}
b: {needs: a, runs-on: x, ${steps}}
c: {needs: b, runs-on: x, ${steps}}
d: {needs: b, if: failure(), runs-on: x, ${steps}}
e: {needs: [c, d], if: always(), runs-on: x, ${steps}}
f: {needs: [c], runs-on: x, ${steps}}`)
  assert.equal(
    (await look(run)).states,
    'a queued, b requested, c requested, d requested, e requested, f requested',
  )
  await work(success)
  assert.equal(
    (await look(run)).states,
    'a success, b queued, c requested, d requested, e requested, f requested',
  )
  await work(failure)
  assert.equal((await look(run)).states, 'a success, b failure, c skipped, d queued, e requested, f skipped')
  assert.equal((await look(run)).status, 'queued')
  await work(success)
  await work(success)
  const { status, states } = await look(run)
  assert.equal(states, 'a success, b failure, c skipped, d success, e success, f skipped')
  assert.equal(status, 'failure')
})

test('a condition sees the outputs of the jobs it needs, and a matrix is one job to it', async () => {
  const run = await push(`
a: {runs-on: x, strategy: {matrix: {v: [1, 2]}}, outputs: {o: x}, ${steps}}
b: {needs: a, if: needs.a.outputs.o == 'yes' && needs.a.result == 'success', runs-on: x, ${steps}}
c: {needs: a, if: needs.a.outputs.o == 'no', runs-on: x, ${steps}}`)
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  await runner.client.updateTask({ state: { id: task.id, result: success }, outputs: { o: 'yes' } })
  assert.equal((await look(run)).states, 'a (1) success, a (2) queued, b requested, c requested')
  await work(success)
  assert.equal((await look(run)).states, 'a (1) success, a (2) success, b queued, c skipped')
  await work(success)
  assert.equal((await look(run)).status, 'success')
})

test('a failure that is tolerated counts as success', async () => {
  const run = await push(`
a: {runs-on: x, continue-on-error: true, ${steps}}
b: {needs: a, runs-on: x, ${steps}}`)
  await work(failure)
  assert.equal((await look(run)).states, 'a failure, b queued')
  await work(success)
  assert.equal((await look(run)).status, 'success')
})

test(`${CANCEL} ends waiting jobs at once, and running ones as their runner supports`, async () => {
  const run = await push(`
a: {runs-on: x, ${steps}}
b: {runs-on: y, ${steps}}
c: {runs-on: x, ${steps}}
d: {needs: a, if: always(), runs-on: x, ${steps}}`)
  const plain = await runner.client.fetchTask({ tasksVersion: 0n })
  const kind = await graceful.client.fetchTask({ tasksVersion: 0n })
  assert.ok(plain.task && kind.task)
  const answer = await call(CANCEL, onRun(run))
  assert.equal(answer.status, 200)
  assert.equal(answer.body.status, 'in_progress')
  assert.equal((await look(run)).states, 'a cancelled, b cancelling, c cancelled, d cancelled')
  const reply = await graceful.client.updateTask({ state: { id: kind.task.id } })
  assert.equal(reply.state?.result, cancelled)
  await graceful.client.updateTask({ state: { id: kind.task.id, result: success } })
  const { status, states } = await look(run)
  assert.equal(states, 'a cancelled, b cancelled, c cancelled, d cancelled')
  assert.equal(status, 'cancelled')
  const again = await call(CANCEL, onRun(run))
  assert.equal(again.status, 409)
  assert.equal((await call(CANCEL, { ...onRun(run), as: eve })).status, 403)
  assert.equal((await call(CANCEL, onRun(987654))).status, 404)
})

test(`${RERUN} starts a further attempt of all jobs`, async () => {
  const run = await push(`
a: {runs-on: x, timeout-minutes: 5, ${steps}}
b: {needs: a, runs-on: x, ${steps}}`)
  assert.equal((await call(RERUN, onRun(run))).status, 400)
  await work(success)
  await work(failure)
  const { status, body } = await call(RERUN, onRun(run))
  assert.equal(status, 201)
  assert.deepEqual([body.run_attempt, body.status, body.conclusion], [2, 'queued', undefined])
  assert.match(body.previous_attempt_url, /attempts\/1$/)
  assert.deepEqual([(await look(run)).attempt, (await look(run)).states], [2, 'a queued, b requested'])
  await work(success)
  await work(success)
  assert.equal((await look(run)).status, 'success')
  const [first] = await pool`select status from forge.action_attempt where run_id = ${run} and number = 1`
  const timeouts = await pool<{ timeout: number | null }[]>`
    select timeout_minutes as timeout from forge.action_job where run_id = ${run} order by attempt, number`
  assert.deepEqual(
    timeouts.map(({ timeout }) => timeout),
    [5, null, 5, null],
  )
  assert.equal(first?.status, 'failure', 'the first attempt stays what it was')
})

test(`${FAILED} runs failed jobs and their dependents again, and keeps the others with their outputs`, async () => {
  const run = await push(`
a: {runs-on: x, ${steps}}
b: {runs-on: x, ${steps}}
c: {needs: [a, b], if: needs.a.outputs.o == 'kept', runs-on: x, ${steps}}`)
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  await runner.client.updateTask({ state: { id: task.id, result: success }, outputs: { o: 'kept' } })
  await work(failure)
  assert.equal((await look(run)).states, 'a success, b failure, c skipped')
  assert.equal((await call(FAILED, onRun(run))).status, 201)
  assert.equal((await look(run)).states, 'a success, b queued, c requested')
  await work(success)
  assert.equal((await look(run)).states, 'a success, b success, c queued')
  const taken = await runner.client.fetchTask({ tasksVersion: 0n })
  assert.equal(taken.task?.needs.a?.outputs.o, 'kept')
  await runner.client.updateTask({ state: { id: taken.task?.id ?? 0n, result: success } })
  assert.equal((await look(run)).status, 'success')
  const nothing = await call(FAILED, onRun(run))
  assert.deepEqual([nothing.status, nothing.body.message], [400, 'there is no job that could run again'])
})

test(`${FAILED} and ${JOB}: a job that is carried over shows the runner, the steps and the log of the original`, async () => {
  const params = { owner: 'ada', repo: 'tool' }
  const run = await push(`
a: {runs-on: x, ${steps}}
b: {runs-on: x, ${steps}}
c: {if: failure(), needs: b, runs-on: x, ${steps}}`)
  const { task, end } = await take(runner)
  const stepState = {
    id: 0n,
    result: success,
    startedAt: at(1),
    stoppedAt: at(2),
    logIndex: 0n,
    logLength: 1n,
  }
  await runner.client.updateLog({ taskId: task.id, index: 0n, rows: rows('done by a'), noMore: true })
  await runner.client.updateTask({ state: { id: task.id, steps: [stepState] } })
  await end(success)
  await work(failure)
  await work(success)
  const log = async (job: number) => {
    const response = await fetch(`${forge.url}/api/v1/repos/ada/tool/actions/jobs/${job}/logs`, {
      headers: { authorization: ada.authorization },
    })
    return [response.status, (await response.text()).replace(/^\S+ /, '')]
  }
  const [original] = (await look(run)).jobs
  assert.ok(original)
  const show = async (job_id: number) =>
    (
      await call('GET /api/v1/repos/{owner}/{repo}/actions/jobs/{job_id}', {
        as: ada,
        params: { ...params, job_id },
      })
    ).body
  const before = await show(original.id)
  assert.deepEqual([before.runner_id, before.runner_name, before.steps.length], [runner.id, 'r1', 1])
  for (const attempt of [2, 3]) {
    if (attempt === 2) assert.equal((await call(FAILED, onRun(run))).status, 201)
    else {
      const job_id = (await look(run)).jobs[1]?.id ?? 0
      assert.equal((await call(JOB, { as: ada, params: { ...params, run, job_id } })).status, 201)
    }
    const { jobs } = (
      await call('GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}/jobs', {
        as: ada,
        params: { ...params, run },
      })
    ).body
    const [copy, again] = jobs
    assert.deepEqual([copy.name, copy.run_attempt, copy.conclusion], ['a', attempt, 'success'])
    assert.notEqual(copy.id, original.id)
    const { runner_id, runner_name, steps: copied } = before
    assert.deepEqual(
      { runner_id: copy.runner_id, runner_name: copy.runner_name, steps: copy.steps },
      { runner_id, runner_name, steps: copied },
    )
    assert.deepEqual(await log(copy.id), [200, 'done by a\n'])
    assert.deepEqual([again.runner_id, again.steps], [undefined, []], 'what runs again has none yet')
    assert.equal((await log(again.id))[0], 404)
    await work(failure)
    await work(success)
  }
})

test('steps that never started have the end of the job as both of their times', async () => {
  const run = await push('a: {runs-on: x, steps: [{run: one}, {run: two}, {run: three}]}')
  const { task } = await take(runner)
  const first = { id: 0n, result: failure, startedAt: at(1), stoppedAt: at(2) }
  const skipped = { id: 2n, result: 4 }
  await runner.client.updateTask({
    state: { id: task.id, result: failure, stoppedAt: at(3), steps: [first, skipped] },
  })
  const [job] = (await look(run)).jobs
  const { body } = await call('GET /api/v1/repos/{owner}/{repo}/actions/jobs/{job_id}', {
    as: ada,
    params: { owner: 'ada', repo: 'tool', job_id: job?.id ?? 0 },
  })
  const never = { conclusion: 'skipped', started_at: body.completed_at, completed_at: body.completed_at }
  assert.deepEqual(
    body.steps.map(({ conclusion, started_at, completed_at }: typeof never) => {
      return { conclusion, started_at, completed_at }
    }),
    [
      { conclusion: 'failure', started_at: '2026-01-31T08:00:01Z', completed_at: '2026-01-31T08:00:02Z' },
      never,
      never,
    ],
  )
  assert.notEqual(body.completed_at, '1970-01-01T00:00:00Z')
})

test(`${JOB} runs one job and its dependents again`, async () => {
  const run = await push(`
a: {runs-on: x, ${steps}}
b: {needs: a, runs-on: x, ${steps}}
c: {runs-on: x, ${steps}}`)
  for (const _ of [1, 2, 3]) await work(success)
  const [, b] = (await look(run)).jobs
  const { status, body } = await call(JOB, {
    as: ada,
    params: { owner: 'ada', repo: 'tool', run, job_id: b?.id ?? 0 },
  })
  assert.equal(status, 201)
  assert.deepEqual([body.name, body.run_attempt, body.status], ['b', 2, 'queued'])
  assert.equal((await look(run)).states, 'a success, b queued, c success')
  for (const job_id of [1234567, (await look(await push(`z: {runs-on: x, ${steps}}`))).jobs[0]?.id ?? 0])
    assert.equal(
      (await call(JOB, { as: ada, params: { owner: 'ada', repo: 'tool', run, job_id } })).status,
      404,
    )
  const { status: early, body: refusal } = await call(JOB, {
    as: ada,
    params: { owner: 'ada', repo: 'tool', run, job_id: b?.id ?? 0 },
  })
  assert.deepEqual([early, typeof refusal.message], [400, 'string'], 'the run is not done yet')
  await work(success)
  await work(success)
})

test(`${RERUN}: who may not, what is disabled, and too many attempts`, async () => {
  const run = await push(`a: {runs-on: x, ${steps}}`)
  await work(success)
  assert.equal((await call(RERUN, { ...onRun(run), as: eve })).status, 403)
  assert.equal((await call(RERUN, { params: onRun(run).params })).status, 401)
  assert.equal((await call(RERUN, onRun(555555))).status, 404)
  const other = await startRepository(forge, 'other')
  assert.equal((await call(RERUN, { as: ada, params: { owner: 'ada', repo: other.name, run } })).status, 404)
  await pool`insert into forge.action_disabled_workflow (repository_id, workflow_file) values (${repo.id}, ${newestFile()})`
  assert.match((await call(RERUN, onRun(run))).body.message, /disabled/)
  await pool`delete from forge.action_disabled_workflow`
  await pool`update forge.action_attempt set number = 50 where run_id = ${run}`.catch(() => {})
  const answers = await Promise.all([1, 2, 3].map(() => call(RERUN, onRun(run))))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400], 'of three at once one begins')
  await work(success)
})

test(`${RERUN}: conditions know who began the attempt`, async () => {
  const who = "github.triggering_actor == 'boss' && github.actor == 'ada'"
  const run = await push(`
a: {runs-on: x, ${steps}}
b: {needs: a, if: ${who}, runs-on: x, ${steps}}`)
  await work(success)
  assert.equal((await look(run)).states, 'a success, b skipped')
  const boss = await make.admin({ name: 'boss' })
  assert.equal((await call(RERUN, { ...onRun(run), as: boss })).status, 201)
  await work(success)
  assert.equal((await look(run)).states, 'a success, b queued')
  await work(success)
})

test(`${DELETE} deletes a run that has ended, with everything that belongs to it`, async () => {
  const run = await push(`a: {runs-on: x, ${steps}}`)
  assert.equal((await call(DELETE, onRun(run))).status, 400)
  await work(success)
  assert.equal((await call(DELETE, { ...onRun(run), as: eve })).status, 403)
  assert.equal((await call(DELETE, onRun(run))).status, 204)
  assert.equal((await call(DELETE, onRun(run))).status, 404)
  const left = await pool`select id from forge.action_job where run_id = ${run}`
  assert.equal(left.length, 0)
  const deeds = await pool`select action from forge.audit where target_id = ${run}`
  assert.deepEqual(
    deeds.map(({ action }) => action),
    ['workflow_run.deleted'],
  )
})

test('a concurrency group: a new member replaces the waiting one and waits for the running one', async () => {
  const group = 'concurrency: one'
  const first = await push(`a: {runs-on: x, ${steps}}`, group)
  const second = await push(`a: {runs-on: x, ${steps}}`, group)
  assert.equal((await look(first)).status, 'cancelled', 'nobody had taken it')
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  const third = await push(`a: {runs-on: x, ${steps}}\nb: {needs: a, runs-on: x, ${steps}}`, group)
  assert.deepEqual([(await look(second)).status, (await look(third)).status], ['in_progress', 'blocked'])
  assert.equal((await look(third)).states, 'a blocked, b requested')
  const fourth = await push(`a: {runs-on: x, ${steps}}`, group)
  assert.deepEqual([(await look(third)).status, (await look(fourth)).status], ['cancelled', 'blocked'])
  assert.equal((await runner.client.fetchTask({ tasksVersion: 0n })).task, undefined)
  await runner.client.updateTask({ state: { id: task.id, result: success } })
  assert.equal((await look(fourth)).status, 'queued')
  const fifth = await push(`a: {runs-on: x, ${steps}}`, 'concurrency: {group: other}')
  assert.equal((await look(fifth)).status, 'queued')
  await work(success)
  await work(success)
})

test('cancel-in-progress cancels the running member', async () => {
  const group = 'concurrency: {group: two, cancel-in-progress: true}'
  const first = await push(`a: {runs-on: x, ${steps}}`, group)
  await runner.client.fetchTask({ tasksVersion: 0n })
  const second = await push(`a: {runs-on: x, ${steps}}`, group)
  assert.deepEqual([(await look(first)).status, (await look(second)).status], ['cancelled', 'queued'])
  const polite = await push(
    `a: {runs-on: y, ${steps}}`,
    'concurrency: {group: three, cancel-in-progress: true}',
  )
  const kind = await graceful.client.fetchTask({ tasksVersion: 0n })
  const next = await push(
    `a: {runs-on: x, ${steps}}`,
    'concurrency: {group: three, cancel-in-progress: true}',
  )
  assert.deepEqual([(await look(polite)).status, (await look(next)).status], ['cancelling', 'blocked'])
  await graceful.client.updateTask({ state: { id: kind.task?.id ?? 0n, result: failure } })
  assert.deepEqual([(await look(polite)).status, (await look(next)).status], ['cancelled', 'queued'])
  await work(success)
  await work(success)
})

test('jobs have groups too, named by outputs of others, and those of one attempt run one after another', async () => {
  const run = await push(`
a: {runs-on: x, ${steps}}
b: {needs: a, concurrency: "g-\${{ needs.a.outputs.o }}", runs-on: x, ${steps}}
c: {needs: a, concurrency: {group: g-1}, runs-on: x, ${steps}}
d: {needs: a, concurrency: g-2, runs-on: x, ${steps}}`)
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  await runner.client.updateTask({ state: { id: task?.id ?? 0n, result: success }, outputs: { o: '1' } })
  assert.equal((await look(run)).states, 'a success, b queued, c blocked, d queued')
  const first = await runner.client.fetchTask({ tasksVersion: 0n })
  await runner.client.updateTask({ state: { id: first.task?.id ?? 0n, result: failure } })
  assert.equal((await look(run)).states, 'a success, b failure, c queued, d queued')
  await work(success)
  await work(success)
  assert.equal((await look(run)).status, 'failure')
})
