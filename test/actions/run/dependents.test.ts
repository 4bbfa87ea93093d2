import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../../support/database.ts'
import { startRunner } from '../../support/forge/actions.ts'
import { cancelled, failure, runsIn, steps, success, take } from '../../support/forge/runs.ts'
import { startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const { call, ada } = forge
const { push, look } = runsIn(forge, await startRepository(forge, 'tool'))

const [plain, polite] = [
  await startRunner(forge, { labels: ['x'], capabilities: [] }),
  await startRunner(forge, { labels: ['x'], capabilities: ['cancelling'] }),
]
const matrix = (more = '', values = '1, 2, 3, 4') => `strategy: {matrix: {v: [${values}]}${more}}`
const states = async (run: number) => (await look(run)).states

const onRun = (run: number) => ({ as: ada, params: { owner: 'ada', repo: 'tool', run } })
const FAILED = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs'
const JOB = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/jobs/{job_id}/rerun'

test('a job that fails stops the other jobs of its matrix and no other job', async () => {
  const run = await push(`
a: {runs-on: x, ${matrix()}, ${steps}}
b: {needs: a, if: failure() && needs.a.result == 'failure', runs-on: x, ${steps}}
c: {runs-on: y, ${matrix('', '1, 2')}, ${steps}}`)
  const [first, second, third] = [await take(plain), await take(plain), await take(polite)]
  await first.end(failure)
  const others = 'c (1) queued, c (2) queued'
  assert.equal(
    await states(run),
    `a (1) failure, a (2) cancelled, a (3) cancelling, a (4) cancelled, b requested, ${others}`,
  )
  assert.equal((await second.end(0)).state?.result, cancelled)
  assert.equal((await third.end(0)).state?.result, cancelled)
  await third.end(success)
  assert.equal(
    await states(run),
    `a (1) failure, a (2) cancelled, a (3) cancelled, a (4) cancelled, b queued, ${others}`,
  )
  const last = await take(plain)
  assert.equal(last.task.needs.a?.result, failure)
  await last.end(success)
  const y = await startRunner(forge, { labels: ['y'] })
  await (await take(y)).end(success)
  await (await take(y)).end(success)
  assert.equal((await look(run)).status, 'failure', 'what the failure ended does not hide it')
})

for (const [what, more] of [
  ['fail-fast: false', `${matrix(', fail-fast: false')}`],
  ['an expression that comes to no', `${matrix(', fail-fast: "${{ github.ref_name != \'main\' }}"')}`],
  ['failures that are tolerated', `continue-on-error: true, ${matrix()}`],
]) {
  test(`with ${what} the other jobs of the matrix go on`, async () => {
    const run = await push(`a: {runs-on: x, ${more}, ${steps}}`)
    const open = [await take(plain), await take(plain)]
    await open[0]?.end(failure)
    assert.equal(await states(run), 'a (1) failure, a (2) in_progress, a (3) queued, a (4) queued')
    await open[1]?.end(success)
    for (const _ of [3, 4]) await (await take(plain)).end(success)
  })
}

test(`${FAILED} and ${JOB} run jobs of a matrix again, and an earlier failure stops none of them`, async () => {
  const run = await push(`a: {runs-on: x, ${matrix('', '1, 2, 3')}, ${steps}}`)
  const [first] = [await take(plain), await take(plain)]
  await first.end(failure)
  assert.equal(await states(run), 'a (1) failure, a (2) cancelled, a (3) cancelled')
  const [, second] = (await look(run)).jobs
  const params = { ...onRun(run).params, job_id: second?.id ?? 0 }
  assert.equal((await call(JOB, { as: ada, params })).status, 201)
  assert.equal(await states(run), 'a (1) failure, a (2) queued, a (3) cancelled')
  await (await take(plain)).end(success)
  assert.equal((await look(run)).status, 'failure')
  assert.equal((await call(FAILED, onRun(run))).status, 201)
  assert.equal(await states(run), 'a (1) queued, a (2) success, a (3) queued')
  await (await take(plain)).end(success)
  await (await take(plain)).end(failure)
  assert.equal(await states(run), 'a (1) success, a (2) success, a (3) failure')
})

test('at most max-parallel jobs of a matrix are active, in their order', async () => {
  const run = await push(`
a: {runs-on: x, ${matrix(', max-parallel: 2, fail-fast: false')}, ${steps}}
b: {needs: a, if: always(), runs-on: x, ${matrix(', max-parallel: "${{ fromJSON(1) }}"', '1, 2')}, ${steps}}`)
  const b = 'b (1) requested, b (2) requested'
  assert.equal(await states(run), `a (1) queued, a (2) queued, a (3) requested, a (4) requested, ${b}`)
  const [first, second] = [await take(plain), await take(plain)]
  assert.equal((await plain.client.fetchTask({ tasksVersion: 0n })).task, undefined)
  await second.end(failure)
  assert.equal(await states(run), `a (1) in_progress, a (2) failure, a (3) queued, a (4) requested, ${b}`)
  await first.end(success)
  for (const _ of [3, 4]) await (await take(plain)).end(success)
  assert.match(await states(run), /b \(1\) queued, b \(2\) requested$/)
  await (await take(plain)).end(success)
  assert.match(await states(run), /b \(1\) success, b \(2\) queued$/)
  await (await take(plain)).end(success)
  assert.equal((await look(run)).status, 'failure')
})

test('max-parallel holds in a further attempt, in groups, and when conditions skip jobs', async () => {
  const run = await push(`
a: {runs-on: x, ${steps}}
b:
  needs: a
  if: matrix.v != 2
  concurrency: "g-\${{ matrix.v }}"
  runs-on: x
  ${matrix(', max-parallel: 1', '1, 2, 3')}
  ${steps}`)
  await (await take(plain)).end(success)
  assert.equal(await states(run), 'a success, b (1) queued, b (2) requested, b (3) requested')
  await (await take(plain)).end(success)
  assert.equal(await states(run), 'a success, b (1) success, b (2) skipped, b (3) queued')
  await (await take(plain)).end(failure)
  const again = await push(`a: {runs-on: x, ${matrix(', max-parallel: 1', '1, 2, 3')}, ${steps}}`)
  await (await take(plain)).end(failure)
  assert.equal(await states(again), 'a (1) failure, a (2) cancelled, a (3) cancelled')
  assert.equal((await call(FAILED, onRun(again))).status, 201)
  assert.equal(await states(again), 'a (1) queued, a (2) requested, a (3) requested')
  for (const _ of [1, 2, 3]) await (await take(plain)).end(success)
  assert.equal((await look(again)).status, 'success')
})

test('max-parallel: 0 is a fault of the workflow', async () => {
  const run = await push(`a: {runs-on: x, ${matrix(', max-parallel: 0')}, ${steps}}`)
  assert.equal((await look(run)).status, 'failure')
})

test('jobs of a matrix that end and jobs that are claimed at the same time', {
  skip: !onServer,
}, async () => {
  const values = Array.from({ length: 24 }, (_, at) => at + 10).join(', ')
  const run = await push(`a: {runs-on: x, ${matrix('', values)}, ${steps}}`)
  const crowd = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      startRunner(forge, { labels: ['x'], capabilities: at % 2 ? ['cancelling'] : [] }),
    ),
  )
  const open = await Promise.all(crowd.slice(0, 16).map(take))
  await Promise.all([
    ...open.map(({ end }) => end(failure)),
    ...crowd.slice(16).map(({ client }) => client.fetchTask({ tasksVersion: 0n })),
  ])
  const { jobs } = await look(run)
  assert.ok(jobs.every(({ status }) => ['failure', 'cancelled', 'cancelling'].includes(status)))
})
