import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { actionsIn } from '../../support/forge/actions.fixtures.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { filesOf } from '../../support/forge/zip.ts'

const app = await startApp()
const { call, pool, make } = app
const actions = actionsIn(pool)
const [ada, eve] = await make.people('ada', 'eve')
const repository = await actions.repository(ada, 'works', true)

const LOGS = 'GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}/logs'
const ARTIFACTS = 'GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}/artifacts'

const line = (text: string) => `2026-01-31T07:01:00.0000000Z ${text}\n`

async function logs(run: number | string, as: Somebody | undefined = ada, method = 'GET') {
  const response = await fetch(`${app.url}/api/v1/repos/ada/works/actions/runs/${run}/logs`, {
    method,
    ...(as && { headers: { authorization: as.authorization } }),
  })
  const { status, headers } = response
  return { status, headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

test(`${LOGS} sends the logs of the newest attempt as one archive, a file for each job`, async () => {
  const run = await actions.run({ repository, file: 'deep/ci.yml', attempt: 2 })
  const before = await actions.job({ run, attempt: 1, name: 'build' })
  await actions.task(before, { log: [line('of the first attempt')] })
  const [one, two] = [
    await actions.job({ run, name: 'build "ä" (1.10)' }),
    await actions.job({ run, name: '../../x\\y' }),
  ]
  const first = await actions.task(one, { log: [line('one') + line('two'), line('three 🙂')] })
  const second = await actions.task(two)
  await actions.job({ run, name: 'waits' })
  for (const message of ['no such need', 'no such label'])
    await actions.job({ run, name: 'broken', status: 'failure', message })
  const { status, headers, bytes } = await logs(run.id)
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/zip'])
  assert.equal(
    headers.get('content-disposition'),
    `attachment; filename="deep-ci-run-${run.id}-logs.zip"; filename*=UTF-8''deep-ci-run-${run.id}-logs.zip`,
  )
  assert.deepEqual(filesOf(bytes), {
    [`deep-ci-build -ä- (1.10)-${first}.log`]: line('one') + line('two') + line('three 🙂'),
    [`deep-ci-..-..-x-y-${second}.log`]: '',
    'deep-ci-broken-0.log': 'no such need\n',
    'deep-ci-broken-0 (2).log': 'no such label\n',
  })
})

test(`${LOGS}: what logs_url of a run leads to, and a log that ends with a sentence of the server`, async () => {
  const run = await actions.run({ repository, status: 'failure' })
  const job = await actions.job({ run, status: 'failure', name: 'n'.repeat(255) })
  const task = await actions.task(job, { status: 'failure', log: [line('one')] })
  await pool`update forge.action_task set end_note = 'The runner was deleted.' where id = ${task}`
  const { body } = await call('GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}', {
    as: ada,
    params: { owner: 'ada', repo: 'works', run: run.id },
  })
  const [logsPath, artifactsPath] = [body.logs_url, body.artifacts_url].map((url) => new URL(url).pathname)
  const headers = { authorization: ada.authorization }
  const archive = await fetch(`${app.url}${logsPath}`, { headers })
  const files = Object.entries(filesOf(Buffer.from(await archive.arrayBuffer())))
  const name = `ci-${'n'.repeat(52 - String(task).length)}-${task}.log`
  assert.deepEqual(files, [[name, `${line('one')}2026-01-31T07:02:00.0000000Z The runner was deleted.\n`]])
  const artifacts = await fetch(`${app.url}${artifactsPath}`, { headers })
  assert.deepEqual([artifacts.status, await artifacts.json()], [200, { artifacts: [], total_count: 0 }])
})

test(`${LOGS} sends long logs of many jobs as they are read`, async () => {
  const warnings: Error[] = []
  const hear = (warning: Error) => warnings.push(warning)
  process.on('warning', hear)
  const run = await actions.run({ repository })
  const piece = line('x'.repeat(900)).repeat(100)
  for (let job = 0; job < 20; job++)
    await actions.task(await actions.job({ run }), { log: Array.from({ length: 10 }, () => piece) })
  const { bytes } = await logs(run.id)
  const files = Object.values(filesOf(bytes))
  assert.equal(files.length, 20)
  assert.ok(files.every((text) => text === piece.repeat(10)))
  process.off('warning', hear)
  assert.deepEqual(warnings, [])
})

test(`${LOGS} answers HEAD without a body, and ends when the reader disconnects`, async () => {
  const run = await actions.run({ repository })
  const noise = Array.from({ length: 60_000 }, (_, at) => (at * 2_654_435_761).toString(36)).join('')
  await actions.task(await actions.job({ run }), { log: Array.from({ length: 40 }, () => line(noise)) })
  const head = await logs(run.id, ada, 'HEAD')
  assert.deepEqual(
    [head.status, head.bytes.length, head.headers.get('content-type')],
    [200, 0, 'application/zip'],
  )
  const leaving = new AbortController()
  const response = await fetch(`${app.url}/api/v1/repos/ada/works/actions/runs/${run.id}/logs`, {
    headers: { authorization: ada.authorization },
    signal: leaving.signal,
  })
  const reader = response.body?.getReader()
  await reader?.read()
  leaving.abort()
  await reader?.closed.catch(() => {})
  assert.equal((await logs(run.id, ada, 'HEAD')).status, 200)
  assert.ok(!app.log.lines().some(({ level }) => level === 'error'))
})

test(`${LOGS} is an empty archive if nothing was logged yet, or the logs were deleted`, async () => {
  const run = await actions.run({ repository })
  const job = await actions.job({ run })
  const filesNow = async () => filesOf((await logs(run.id)).bytes)
  assert.deepEqual(await filesNow(), {})
  await actions.task(job, { status: 'success', log: [line('one')] })
  assert.deepEqual(Object.values(await filesNow()), [line('one')])
  await pool`update forge.action_task set log_expired = true where job_id = ${job}`
  assert.deepEqual(await filesNow(), {})
})

test(`${LOGS} and ${ARTIFACTS} answer 404 to what is not there, and to whom the repository is hidden`, async () => {
  const run = await actions.run({ repository })
  await actions.task(await actions.job({ run }), { status: 'success', log: [line('one')] })
  assert.equal((await logs(run.id)).status, 200)
  const elsewhere = await actions.run({ repository: await actions.repository(eve, 'other') })
  await actions.task(await actions.job({ run: elsewhere }), { log: [line('secret')] })
  for (const wrong of [elsewhere.id, 999_999, 'x', 0, '9'.repeat(30)]) {
    assert.equal((await logs(wrong)).status, 404, `${wrong}`)
    const params = { owner: 'ada', repo: 'works', run: wrong }
    holdRefusal(await call(ARTIFACTS, { as: ada, params }), 404, 'not found')
  }
  assert.equal((await logs(run.id, eve)).status, 404)
  const anonymous = await fetch(`${app.url}/api/v1/repos/ada/works/actions/runs/${run.id}/logs`)
  assert.equal(anonymous.status, 404)
  holdRefusal(
    await call(ARTIFACTS, { as: eve, params: { owner: 'ada', repo: 'works', run: run.id } }),
    404,
    'not found',
  )
})
