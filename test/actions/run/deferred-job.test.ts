import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRunner } from '../../support/forge/actions.ts'
import { failure, runsIn, steps, success, take } from '../../support/forge/runs.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'
import { until } from '../../support/wait.ts'

const forge = await startForge()
const { call, ada, pool } = forge
const repo = await startRepository(forge, 'tool')
const { push, look } = runsIn(forge, repo)
const runner = await startRunner(forge, { labels: ['x'] })
const states = async (run: number) => (await look(run)).states

/** Waits until the server has planned what it could plan; gives the states of the jobs. */
async function planned(run: number, expected: string): Promise<void> {
  await until(`the jobs are ${expected}`, async () => (await states(run)) === expected).catch(() => {})
  assert.equal(await states(run), expected)
}

/** Ends the next job with outputs. */
async function endWith(outputs: Record<string, string>, result = success): Promise<void> {
  const { task } = await take(runner)
  await runner.client.updateTask({ state: { id: task.id, result }, outputs })
}

const RERUN = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/rerun'
const FAILED = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs'
const CANCEL = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/cancel'
const onRun = (run: number) => ({ as: ada, params: { owner: 'ada', repo: 'tool', run } })
const list = '"${{ fromJSON(needs.a.outputs.list) }}"'
const matrixOf = (more = '') => `
a: {runs-on: x, outputs: {list: "\${{ steps.s.outputs.list }}"}, ${steps}}
b: {needs: a, runs-on: x, strategy: {matrix: {v: ${list}}, fail-fast: false}, ${steps}${more}}
c: {needs: b, runs-on: x, ${steps}}`

test('a matrix from an output of a job becomes jobs when that job has ended', async () => {
  const run = await push(matrixOf())
  assert.equal(await states(run), 'a queued, b requested, c requested')
  await endWith({ list: '["one", "two"]' })
  await planned(run, 'a success, b (one) queued, c requested, b (two) queued')
  const first = await take(runner)
  const text = Buffer.from(first.task.workflowPayload ?? []).toString()
  assert.match(text, /matrix:\n\s+v:\n\s+- "?one"?\n/)
  assert.deepEqual(first.task.needs.a?.outputs, { list: '["one", "two"]' })
  await first.end(success)
  await endWith({})
  assert.equal(await states(run), 'a success, b (one) success, c queued, b (two) success')
  await endWith({})
  assert.equal((await look(run)).status, 'success')
  await settled(forge)
  const contexts = await pool<{ context: string }[]>`
    select distinct context from forge.commit_status where target_url like ${`%/runs/${run}/%`} order by context`
  assert.deepEqual(
    contexts.map(({ context }) => context.replace(/^.* \/ | \(push\)$/g, '')),
    ['a', 'b (one)', 'b (two)', 'c'],
    'what waits to be planned has no status, which nothing would end',
  )
})

test(`${RERUN} plans such a matrix again; ${FAILED} keeps its combinations`, async () => {
  const run = await push(matrixOf())
  await endWith({ list: '[1, 2]' })
  await planned(run, 'a success, b (1) queued, c requested, b (2) queued')
  await endWith({})
  await endWith({}, failure)
  assert.equal(await states(run), 'a success, b (1) success, c skipped, b (2) failure')
  assert.equal((await call(FAILED, onRun(run))).status, 201)
  assert.equal(await states(run), 'a success, b (1) success, c requested, b (2) queued')
  await endWith({})
  await endWith({})
  assert.equal((await look(run)).status, 'success')
  assert.equal((await call(RERUN, onRun(run))).status, 201)
  assert.equal(await states(run), 'a queued, b requested, c requested')
  await endWith({ list: '[3]' })
  await planned(run, 'a success, b (3) queued, c requested')
  await endWith({})
  await endWith({})
  assert.equal((await look(run)).status, 'success')
})

test('a matrix that cannot be made of the output fails its job, with the reason in its log', async () => {
  const run = await push(matrixOf())
  await endWith({ list: 'nonsense' })
  await planned(run, 'a success, b failure, c skipped')
  const [row] = await pool`select message from forge.action_job where run_id = ${run} and key = 'b'`
  assert.match(row?.message, /cannot be evaluated/)
  assert.equal((await call(FAILED, onRun(run))).status, 201)
  await planned(run, 'a success, b failure, c skipped')
  assert.equal((await look(run)).attempt, 2)
})

test('a run has at most 256 jobs, also with those that are planned later', async () => {
  const run = await push(matrixOf())
  await endWith({ list: JSON.stringify(Array.from({ length: 255 }, (_, at) => at)) })
  await planned(run, 'a success, b failure, c skipped')
  const [row] = await pool`select message from forge.action_job where run_id = ${run} and key = 'b'`
  assert.equal(row?.message, 'there are more than 256 jobs')
})

test('conditions decide before a matrix is made, unless they are about its values', async () => {
  const skipped = await push(matrixOf(', if: "needs.a.outputs.list != \'[1]\'"'))
  await endWith({ list: '[1]' })
  await planned(skipped, 'a success, b skipped, c skipped')
  const some = await push(matrixOf(', if: matrix.v == 2'))
  await endWith({ list: '[1, 2]' })
  await planned(some, 'a success, b (1) skipped, c requested, b (2) queued')
  await endWith({})
  await endWith({})
  assert.equal((await look(some)).status, 'success')
})

test('labels and a name from outputs; a job that waits to be planned can be cancelled', async () => {
  const run = await push(`
a: {runs-on: x, ${steps}}
b: {needs: a, name: "For \${{ needs.a.outputs.list }}", runs-on: "\${{ needs.a.outputs.list }}", ${steps}}`)
  await endWith({ list: 'x' })
  await planned(run, 'a success, For x queued')
  await endWith({})
  assert.equal((await look(run)).status, 'success')
  await forge.background.stop()
  assert.equal((await call(RERUN, onRun(run))).status, 201)
  await endWith({ list: 'x' })
  assert.equal(await states(run), 'a success, b queued')
  assert.equal((await runner.client.fetchTask({ tasksVersion: 0n })).task, undefined)
  assert.equal((await call(CANCEL, onRun(run))).status, 200)
  assert.equal(await states(run), 'a success, b cancelled')
})
