import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { actionsIn } from '../../support/forge/actions.fixtures.ts'
import type { Somebody } from '../../support/forge/make.ts'

const app = await startApp()
const { pool, make } = app
const actions = actionsIn(pool)
const [ada, eve] = await make.people('ada', 'eve')
const repository = await actions.repository(ada, 'works', true)
const run = await actions.run({ repository, file: 'deep/ci.yml' })

const LOGS = 'GET /api/v1/repos/{owner}/{repo}/actions/jobs/{job_id}/logs'

/** Straight over HTTP: the reply is a stream of text. */
async function logs(job: number | string, as: Somebody | undefined = ada, method = 'GET') {
  const response = await fetch(`${app.url}/api/v1/repos/ada/works/actions/jobs/${job}/logs`, {
    method,
    ...(as && { headers: { authorization: as.authorization } }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const line = (text: string) => `2026-01-31T07:01:00.0000000Z ${text}\n`

test(`${LOGS} sends the whole log as a file of text, in order`, async () => {
  const job = await actions.job({ run, name: 'build "ä" (1.10)' })
  const pieces = [line('one') + line('two'), line('three 🙂'), line('four')]
  const task = await actions.task(job, { log: pieces })
  const { status, headers, text } = await logs(job)
  assert.deepEqual([status, text], [200, pieces.join('')])
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  const encoded = `deep%2Fci-build%20%22%C3%A4%22%20%281.10%29-${task}.log`
  assert.equal(
    headers.get('content-disposition'),
    `attachment; filename="deep_ci-build ___ (1.10)-${task}.log"; filename*=UTF-8''${encoded}`,
  )
  assert.ok(headers.get('x-request-id'))
})

test(`${LOGS} shows the lines received so far while the job runs`, async () => {
  const job = await actions.job({ run, status: 'in_progress' })
  const task = await actions.task(job)
  assert.deepEqual(await logs(job).then(({ status, text }) => [status, text]), [200, ''])
  await actions.lines(task, [line('first')])
  assert.equal((await logs(job)).text, line('first'))
  await actions.lines(task, [line('second')], 1)
  assert.equal((await logs(job)).text, line('first') + line('second'))
})

test(`${LOGS} sends logs that are longer than one read`, async () => {
  const job = await actions.job({ run })
  const piece = line('x'.repeat(900)).repeat(100)
  await actions.task(job, { log: Array.from({ length: 60 }, () => piece) })
  const { text } = await logs(job)
  assert.equal(text.length, 60 * piece.length)
  assert.equal(text, piece.repeat(60))
})

test(`${LOGS} waits for its reader without piling up listeners`, async () => {
  const warnings: Error[] = []
  const hear = (warning: Error) => warnings.push(warning)
  process.on('warning', hear)
  const job = await actions.job({ run })
  await actions.task(job, { log: Array.from({ length: 40 }, () => line('x'.repeat(500_000))) })
  assert.equal((await logs(job)).status, 200)
  process.off('warning', hear)
  assert.deepEqual(warnings, [])
})

test(`${LOGS} sends the server's message about a job that no runner received`, async () => {
  const job = await actions.job({ run, status: 'failure', message: 'a need that is no job: [x]' })
  assert.deepEqual(await logs(job).then(({ status, text }) => [status, text]), [
    200,
    'a need that is no job: [x]\n',
  ])
})

test(`${LOGS} is 404 without a log, after its removal, and where the repository is not visible`, async () => {
  const waiting = await actions.job({ run })
  const old = await actions.job({ run, status: 'success' })
  const task = await actions.task(old, { status: 'success', log: [line('gone')] })
  await pool`update forge.action_task set log_expired = true where id = ${task}`
  const there = await actions.job({ run })
  await actions.task(there, { log: [line('there')] })
  for (const job of [waiting, old, 999_999, 'x', 0]) assert.equal((await logs(job)).status, 404, `${job}`)
  assert.equal((await logs(there, eve)).status, 404)
  const anonymous = await fetch(`${app.url}/api/v1/repos/ada/works/actions/jobs/${there}/logs`)
  assert.equal(anonymous.status, 404)
  // By way of another repository.
  await actions.repository(eve, 'other')
  const around = await fetch(`${app.url}/api/v1/repos/eve/other/actions/jobs/${there}/logs`)
  assert.equal(around.status, 404)
})

test(`${LOGS} answers HEAD without a body`, async () => {
  const job = await actions.job({ run })
  await actions.task(job, { log: [line('one')] })
  const { status, headers, text } = await logs(job, ada, 'HEAD')
  assert.deepEqual([status, text, headers.get('content-type')], [200, '', 'text/plain; charset=utf-8'])
})

test(`${LOGS} ends when the reader disconnects`, async () => {
  const job = await actions.job({ run })
  const piece = line('x'.repeat(60_000))
  await actions.task(job, { log: Array.from({ length: 200 }, () => piece) })
  const leaving = new AbortController()
  const response = await fetch(`${app.url}/api/v1/repos/ada/works/actions/jobs/${job}/logs`, {
    headers: { authorization: ada.authorization },
    signal: leaving.signal,
  })
  const reader = response.body?.getReader()
  await reader?.read()
  leaving.abort()
  await reader?.closed.catch(() => {})
  // The server answers others, and nothing of it is a fault.
  assert.equal((await logs(job, eve)).status, 404)
  assert.ok(!app.log.lines().some(({ level }) => level === 'error'))
})
