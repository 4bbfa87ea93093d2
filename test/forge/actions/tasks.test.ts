import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { actionsIn } from '../../support/forge/actions.fixtures.ts'
import { bearer } from '../../support/forge/make.ts'

const { call, pool, make } = await startApp()
const actions = actionsIn(pool)
const [ada, eve] = await make.people('Ada', 'eve')

const LIST = 'GET /api/v1/repos/{owner}/{repo}/actions/tasks'
const ARTIFACTS = 'GET /api/v1/repos/{owner}/{repo}/actions/artifacts'

const open = await actions.repository(ada, 'Open')
const other = await actions.repository(ada, 'other')
const params = { owner: 'ada', repo: 'open' }

test(`${LIST} shows what runners have taken, the newest job first`, async () => {
  assert.deepEqual((await call(LIST, { params })).body, { workflow_runs: [], total_count: 0 })
  const run = await actions.run({ repository: open, title: 'What was done', file: 'deep/ci.yml' })
  const [first, second, waiting] = [
    await actions.job({ run, status: 'success', name: 'build' }),
    await actions.job({ run, status: 'in_progress' }),
    await actions.job({ run, status: 'queued' }),
  ]
  const [newer, older] = [await actions.task(second), await actions.task(first, { status: 'success' })]
  await actions.task(await actions.job({ run: await actions.run({ repository: other }) }))
  const { status, body, headers } = await call(LIST, { params })
  assert.equal(status, 200)
  assert.ok(waiting)
  assert.deepEqual([body.total_count, headers.get('x-total-count')], [2, '2'])
  assert.deepEqual(
    body.workflow_runs.map(({ id, status }: { id: number; status: string }) => [id, status]),
    [
      [newer, 'running'],
      [older, 'success'],
    ],
  )
  assert.deepEqual(body.workflow_runs[1], {
    id: older,
    name: 'build',
    head_branch: 'main',
    head_sha: 'a'.repeat(40),
    run_number: 1,
    event: 'push',
    display_title: 'What was done',
    status: 'success',
    workflow_id: 'deep/ci.yml',
    url: `https://forgehall.example/Ada/Open/actions/runs/${run.id}`,
    created_at: '2026-01-31T07:01:00Z',
    updated_at: '2026-01-31T07:02:00Z',
    run_started_at: '2026-01-31T07:01:00Z',
  })
  const page = await call(LIST, { params, query: { page: 2, limit: 1 } })
  assert.deepEqual(
    page.body.workflow_runs.map(({ id }: { id: number }) => id),
    [older],
  )
  assert.match(page.headers.get('link') ?? '', /page=1/)
})

test(`${LIST} names a tag, and any other ref in full`, async () => {
  const refs = ['refs/tags/v1', 'refs/pull/1/head']
  for (const ref of refs)
    await actions.task(await actions.job({ run: await actions.run({ repository: other, ref }) }))
  const { body } = await call(LIST, { params: { owner: 'ada', repo: 'other' } })
  const shown = body.workflow_runs.map(({ head_branch }: { head_branch: string }) => head_branch)
  assert.deepEqual(shown.slice(0, 2), ['refs/pull/1/head', 'v1'])
})

test(`${ARTIFACTS} is an empty list`, async () => {
  const { status, body, headers } = await call(ARTIFACTS, { params, query: { page: 3 } })
  assert.deepEqual(
    [status, body, headers.get('x-total-count')],
    [200, { artifacts: [], total_count: 0 }, '0'],
  )
})

for (const literal of [LIST, ARTIFACTS] as const)
  test(`${literal} is for those who may read the Actions of the repository`, async () => {
    await pool`update forge.repository set is_private = true where id = ${open}`
    const statusOf = async (as?: typeof ada | { authorization: string }) =>
      (await call(literal, { params, ...(as && { as }) })).status
    assert.deepEqual([await statusOf(), await statusOf(eve), await statusOf(ada)], [404, 404, 200])
    assert.equal(await statusOf(bearer(await make.token(ada, 'read:user'))), 403)
    await pool`update forge.repository set is_private = false where id = ${open}`
    assert.equal(await statusOf(), 200)
  })
