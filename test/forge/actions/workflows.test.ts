import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRunner } from '../../support/forge/actions.ts'
import { bearer } from '../../support/forge/make.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const { call, pool, ada, make } = forge
const eve = await make.person({ name: 'eve' })

const LIST = 'GET /api/v1/repos/{owner}/{repo}/actions/workflows'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/actions/workflows/{workflow_id}'
const ENABLE = 'PUT /api/v1/repos/{owner}/{repo}/actions/workflows/{workflow_id}/enable'
const DISABLE = 'PUT /api/v1/repos/{owner}/{repo}/actions/workflows/{workflow_id}/disable'
const RUNS = 'GET /api/v1/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs'
const DISPATCH = 'POST /api/v1/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'

const byHand = (name: string) => `
name: ${name}
on:
  workflow_dispatch:
    inputs:
      level: {default: low, required: true, type: choice, options: [low, high]}
      note:
run-name: Level \${{ inputs.level }} by \${{ github.actor }}
jobs: {a: {runs-on: x, steps: [{run: echo}]}}`

const repo = await startRepository(forge, 'tool')
const commit = await repo.push({
  '.gitea/workflows/hand.yml': byHand('By hand'),
  '.gitea/workflows/deep/er.yaml': byHand('Deeper'),
  '.gitea/workflows/push.yml': 'on: push\njobs: {a: {runs-on: x, steps: [{run: echo}]}}',
  '.gitea/workflows/broken.yml': 'on: workflow_dispatch',
})
const empty = await startRepository(forge, 'empty')

const params = (workflow_id: string, name = repo.name) => ({ owner: 'ada', repo: name, workflow_id })
const dispatch = (file: string, body: unknown, more: object = {}) =>
  call(DISPATCH, { as: ada, params: params(file), body, ...more })

test(`${LIST} shows the files of the default branch, broken ones too`, async () => {
  const { status, body } = await call(LIST, { as: ada, params: { owner: 'ada', repo: 'tool' } })
  assert.equal(status, 200)
  assert.equal(body.total_count, 4)
  assert.deepEqual(
    body.workflows.map(({ id, name, state }: Record<string, string>) => [id, name, state]),
    [
      ['broken.yml', 'broken.yml', 'active'],
      ['deep/er.yaml', 'Deeper', 'active'],
      ['hand.yml', 'By hand', 'active'],
      ['push.yml', 'push.yml', 'active'],
    ],
  )
  const none = await call(LIST, { as: ada, params: { owner: 'ada', repo: empty.name } })
  assert.deepEqual([none.status, none.body], [200, { workflows: [], total_count: 0 }])
})

test(`${SHOW} shows one, and 404 for what is none`, async () => {
  const { body } = await call(SHOW, { as: ada, params: params('deep/er.yaml') })
  const base = 'https://forgehall.example/'
  const { created_at, updated_at, ...rest } = body
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    id: 'deep/er.yaml',
    name: 'Deeper',
    path: '.gitea/workflows/deep/er.yaml',
    state: 'active',
    url: `${base}api/v1/repos/ada/tool/actions/workflows/deep%2Fer.yaml`,
    html_url: `${base}ada/tool/src/branch/main/.gitea/workflows/deep/er.yaml`,
    badge_url: `${base}ada/tool/actions/workflows/deep/er.yaml/badge.svg?branch=main`,
  })
  for (const file of ['none.yml', '../hand.yml', '.gitea/workflows/hand.yml'])
    assert.equal((await call(SHOW, { as: ada, params: params(file) })).status, 404)
  assert.equal((await call(SHOW, { as: ada, params: params('a.yml', empty.name) })).status, 404)
})

test(`${DISPATCH} starts a run of the ref with declared inputs`, async () => {
  const sent = { ref: 'main', inputs: { level: 'high', stranger: 'x' } }
  const { status, body } = await dispatch('hand.yml', sent, { query: { return_run_details: 'true' } })
  assert.equal(status, 200)
  const [run] = await pool<{ id: number; payload: Record<string, unknown> }[]>`
    select run.id, title, event, ref, commit_sha, payload, account.name as actor
    from forge.action_run as run join forge.account on account.id = actor_id
    where workflow_file = 'hand.yml'`
  assert.ok(run)
  const { id, payload, ...rest } = run
  assert.deepEqual(rest, {
    title: 'Level high by ada',
    event: 'workflow_dispatch',
    ref: 'refs/heads/main',
    commit_sha: commit,
    actor: 'ada',
  })
  assert.deepEqual(payload.inputs, { level: 'high', note: '' })
  assert.deepEqual(payload.ref, 'main')
  const base = 'https://forgehall.example/'
  assert.deepEqual(body, {
    workflow_run_id: id,
    run_url: `${base}api/v1/repos/ada/tool/actions/runs/${id}`,
    html_url: `${base}ada/tool/actions/runs/${id}`,
  })
  const quiet = await dispatch('deep/er.yaml', { ref: 'refs/heads/main' })
  assert.deepEqual([quiet.status, quiet.body], [204, undefined])
  await repo.git('tag', 'v1')
  await repo.git('push', '-q', 'origin', 'v1')
  assert.equal((await dispatch('hand.yml', { ref: 'refs/tags/v1', inputs: null })).status, 204)
  const [tagged] =
    await pool`select ref, title from forge.action_run where event = 'workflow_dispatch' order by id desc limit 1`
  assert.deepEqual({ ...tagged }, { ref: 'refs/tags/v1', title: 'Level low by ada' })
})

test(`${DISPATCH} refuses what cannot be started, and nothing is left behind`, async () => {
  const count = async () => (await pool`select id from forge.action_run`).length
  // The tag has started something too.
  await settled(forge)
  const before = await count()
  const refused: readonly (readonly [string, unknown, number, RegExp])[] = [
    ['hand.yml', { ref: 'none' }, 404, /ref "none" not found/],
    ['hand.yml', { ref: 'v1' }, 404, /not found/],
    ['hand.yml', { ref: commit }, 404, /not found/],
    ['hand.yml', { ref: 'refs/pull/1/head' }, 404, /not found/],
    ['hand.yml', { ref: '../main' }, 404, /not found/],
    ['none.yml', { ref: 'main' }, 404, /workflow "none.yml" not found/],
    ['push.yml', { ref: 'main' }, 422, /no workflow_dispatch/],
    ['broken.yml', { ref: 'main' }, 422, /there are no jobs/],
    ['hand.yml', {}, 422, /Required/],
    ['hand.yml', { ref: '' }, 422, /Required/],
    ['hand.yml', { ref: 1 }, 422, /./],
    ['hand.yml', { ref: 'main', inputs: { level: 1 } }, 422, /./],
    ['hand.yml', { ref: 'main', inputs: ['a'] }, 422, /./],
    ['hand.yml', 'no json', 422, /./],
    ['hand.yml', [], 422, /./],
  ]
  for (const [file, body, status, sentence] of refused) {
    const answer = await dispatch(file, body)
    assert.equal(answer.status, status, JSON.stringify(body))
    assert.match(answer.body.message, sentence)
  }
  const started = { body: { ref: 'main' }, params: params('hand.yml') }
  assert.equal((await call(DISPATCH, started)).status, 401)
  assert.equal((await call(DISPATCH, { ...started, as: eve })).status, 403)
  const reading = bearer(await make.token(ada, 'read:repository'))
  assert.equal((await call(DISPATCH, { ...started, as: reading })).status, 403)
  await pool`update forge.repository set is_private = true where id = ${repo.id}`
  assert.equal((await call(DISPATCH, { ...started, as: eve })).status, 404)
  await pool`update forge.repository set is_private = false, is_archived = true where id = ${repo.id}`
  assert.equal((await dispatch('hand.yml', { ref: 'main' })).status, 403)
  await pool`update forge.repository set is_archived = false where id = ${repo.id}`
  assert.equal(await count(), before)
})

test(`${DISPATCH}: a job starts workflows where \`actions\` may be written, and five such runs in a row are the end`, async () => {
  await settled(forge)
  await pool`update forge.action_job set status = 'cancelled', stopped_at = created_at where stopped_at is null`
  const chain = await startRepository(forge, 'chain')
  const file = (permissions: string) =>
    `on: workflow_dispatch\npermissions: ${permissions}\njobs: {a: {runs-on: x, steps: [{run: echo}]}}`
  await chain.push({
    '.gitea/workflows/next.yml': file('{actions: write}'),
    '.gitea/workflows/reads.yml': file('{actions: read, contents: write}'),
  })
  const scope = { owner_id: null, repository_id: chain.id }
  const runner = await startRunner(forge, { labels: ['x'], scope })
  /** The token of the next job that waits. */
  const token = async () => {
    const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
    assert.ok(task?.secrets.GITHUB_TOKEN)
    return { as: bearer(task.secrets.GITHUB_TOKEN), task: task.id }
  }
  const start = (name: string, as: { authorization: string }) =>
    call(DISPATCH, { as, params: params(name, chain.name), body: { ref: 'main' } })
  assert.equal((await start('reads.yml', ada)).status, 204)
  const reading = await token()
  assert.equal((await start('next.yml', reading.as)).status, 403)
  assert.equal((await start('next.yml', ada)).status, 204)
  for (let depth = 1; depth <= 5; depth++) {
    const { as, task } = await token()
    assert.equal(
      (await call(DISPATCH, { as, params: params('hand.yml'), body: { ref: 'main' } })).status,
      403,
    )
    assert.equal((await start('next.yml', as)).status, 204, `run ${depth}`)
    await runner.client.updateTask({ state: { id: task, result: 1 } })
    assert.equal((await start('next.yml', as)).status, 401, 'the job has ended')
  }
  const last = await start('next.yml', (await token()).as)
  assert.equal(last.status, 403)
  assert.match(last.body.message, /5 runs in a row/)
  const runs = await pool<{ depth: number; by_bot: boolean }[]>`
    select dispatch_depth as depth, by_bot from forge.action_run
    where repository_id = ${chain.id} and workflow_file = 'next.yml' order by id`
  assert.deepEqual(
    runs.map(({ depth, by_bot }) => [depth, by_bot]),
    [0, 1, 2, 3, 4, 5].map((depth) => [depth, depth > 0]),
  )
  const list = await call('GET /api/v1/repos/{owner}/{repo}/actions/runs', {
    as: ada,
    params: { owner: 'ada', repo: chain.name },
    query: { limit: 1 },
  })
  assert.equal(list.body.workflow_runs[0].actor.login, 'gitea-actions')
})

test(`${DISABLE} and ${ENABLE} switch a workflow off and on, twice is once`, async () => {
  for (const _ of [1, 2]) {
    assert.equal((await call(DISABLE, { as: ada, params: params('hand.yml') })).status, 204)
    assert.equal((await call(SHOW, { as: ada, params: params('hand.yml') })).body.state, 'disabled_manually')
  }
  const refused = await dispatch('hand.yml', { ref: 'main' })
  assert.deepEqual([refused.status, refused.body.message], [403, 'workflow is disabled'])
  for (const _ of [1, 2])
    assert.equal((await call(ENABLE, { as: ada, params: params('hand.yml') })).status, 204)
  assert.equal((await dispatch('hand.yml', { ref: 'main' })).status, 204)
  const deeds = await pool`
    select action from forge.audit where action in ('workflow.enabled', 'workflow.disabled') order by id`
  assert.deepEqual(
    deeds.map(({ action }) => action),
    ['workflow.disabled', 'workflow.enabled'],
  )
  for (const literal of [ENABLE, DISABLE]) {
    assert.equal((await call(literal, { as: ada, params: params('none.yml') })).status, 404)
    assert.equal((await call(literal, { as: eve, params: params('hand.yml') })).status, 403)
    assert.equal((await call(literal, { params: params('hand.yml') })).status, 401)
  }
})

test(`${DISPATCH}: starts at once get numbers of their own`, async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => dispatch('hand.yml', { ref: 'main' })))
  assert.ok(answers.every(({ status }) => status === 204))
  const numbers = await pool<{ number: number }[]>`
    select number from forge.action_run where repository_id = ${repo.id} order by number`
  assert.deepEqual(
    numbers.map(({ number }) => number),
    numbers.map((_, at) => at + 1),
  )
})

test(`${RUNS} shows the runs of one workflow, also after its file was deleted; 404 for an unknown one`, async () => {
  const own = await startRepository(forge, 'kept')
  await own.push({
    '.gitea/workflows/a.yml': 'on: push\njobs: {a: {runs-on: x, steps: [{run: echo}]}}',
    '.gitea/workflows/deep/b.yml': byHand('B'),
    '.gitea/workflows/idle.yml': byHand('Idle'),
  })
  const runsOf = (workflow_id: string, query: Record<string, string> = {}) =>
    call(RUNS, { as: ada, params: params(workflow_id, own.name), query })
  await settled(forge)
  const started = await call(DISPATCH, {
    as: ada,
    params: params('deep/b.yml', own.name),
    body: { ref: 'main' },
  })
  assert.equal(started.status, 204)
  await settled(forge)
  const paths = async (file: string, query: Record<string, string> = {}) =>
    (await runsOf(file, query)).body.workflow_runs.map(({ path }: { path: string }) => path)
  assert.deepEqual(await paths('a.yml'), ['a.yml@refs/heads/main'])
  assert.deepEqual(await paths('deep/b.yml'), ['deep/b.yml@refs/heads/main'])
  assert.deepEqual(await paths('a.yml', { event: 'schedule' }), [])
  assert.deepEqual((await runsOf('idle.yml')).body, { workflow_runs: [], total_count: 0 })
  assert.equal((await runsOf('a.yml', { status: 'odd' })).status, 400)
  assert.deepEqual(
    [(await runsOf('none.yml')).status, (await runsOf('none.yml', { event: 'x' })).status],
    [404, 404],
  )
  await own.push({ '.gitea/workflows/a.yml': null, '.gitea/workflows/idle.yml': null })
  await settled(forge)
  assert.equal((await runsOf('idle.yml')).status, 404)
  assert.deepEqual(await paths('a.yml'), ['a.yml@refs/heads/main'])
  assert.deepEqual(await paths('a.yml', { branch: 'other' }), [])
  await pool`update forge.repository set is_private = true where name = 'kept'`
  assert.equal((await call(RUNS, { as: eve, params: params('a.yml', own.name) })).status, 404)
})
