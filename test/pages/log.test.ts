import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { actionsIn } from '../support/forge/actions.fixtures.ts'
import { samePassword } from '../support/forge/make.ts'
import { browserHeaders, cookieOf, holdClean, hostile } from './browser.ts'

const { url, pool, make } = await startApp()
const actions = actionsIn(pool)
const ada = await make.person({ name: 'ada' })
const repository = await actions.repository(ada, 'works', true)
const run = await actions.run({ repository, file: 'ci.yml' })
const line = (text: string) => `2026-01-31T07:01:00.0000000Z ${text}\n`

const cookie = await cookieOf(url, { user: 'ada', password: samePassword })
const get = (path: string, headers: Record<string, string> = { cookie }) =>
  fetch(`${url}/ada/works/actions/runs${path}`, { headers: { ...browserHeaders, ...headers } })

/** The text of the log on the page of a job; undefined if there is none. */
async function shown(job: number): Promise<string | undefined> {
  const page = await (await get(`/${run.id}/jobs/${job}`)).text()
  holdClean(page)
  return /<div class="log">(.*?)<\/div>/s.exec(page)?.[1]
}

test('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job} shows the log without times and colours', async () => {
  const job = await actions.job({ run, name: 'build' })
  const log = [
    line('one') + line('\u001b[32mtwo\u001b[0m \u001b[1;31mred'),
    line('::group::Z three') + line('::endgroup::'),
  ]
  await actions.task(job, { log })
  const group = '<details class="log-group"><summary>Z three</summary></details>'
  assert.equal(await shown(job), `one\ntwo red\n${group}`)
})

test('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job} shows the end of a long log', async () => {
  const job = await actions.job({ run, name: 'long' })
  const part = (from: number) =>
    Array.from({ length: 100 }, (_, at) => line(`${from + at} ${'x'.repeat(400)}`)).join('')
  await actions.task(job, { log: [0, 100, 200, 300, 400, 500].map(part) })
  const text = (await shown(job)) ?? ''
  assert.ok(text.length > 70_000 && text.length < 128 * 1024, String(text.length))
  assert.match(text, /^\d+ x{400}\n/, 'it begins with a whole line')
  assert.match(text, /\n599 x{400}\n$/)
  const page = await (await get(`/${run.id}/jobs/${job}`)).text()
  assert.match(page, /This is its end/)
})

test('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job} shows hostile logs as text, and none where there is none', async () => {
  const job = await actions.job({ run, name: 'hostile' })
  await actions.task(job, { log: hostile.map(line) })
  assert.ok(((await shown(job)) ?? '').includes('&lt;script&gt;'))
  const broken = await actions.job({ run, name: 'broken', status: 'failure', message: 'no such label' })
  assert.equal(await shown(broken), undefined)
  assert.match(await (await get(`/${run.id}/jobs/${broken}`)).text(), /no such label/)
  const waiting = await actions.job({ run, name: 'waits' })
  assert.equal(await shown(waiting), undefined)
  assert.equal((await get(`/${run.id}/jobs/${waiting}/logs`)).status, 404)
})

test('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job}/logs and …/logs of the run send whole logs to a session', async () => {
  const job = await actions.job({ run, name: 'whole' })
  await actions.task(job, { log: [line('one'), line('two')] })
  const page = await (await get(`/${run.id}/jobs/${job}`)).text()
  assert.ok(
    page.includes(`href="https://forgehall.example/ada/works/actions/runs/${run.id}/jobs/${job}/logs"`),
  )
  const log = await get(`/${run.id}/jobs/${job}/logs`)
  assert.equal(await log.text(), line('one') + line('two'))
  assert.match(log.headers.get('content-disposition') ?? '', /^attachment/)
  const archive = await get(`/${run.id}/logs`)
  assert.deepEqual([archive.status, archive.headers.get('content-type')], [200, 'application/zip'])
  await archive.arrayBuffer()
  const other = await actions.run({ repository, file: 'other.yml' })
  for (const path of [`/${run.id}/logs`, `/${run.id}/jobs/${job}/logs`])
    assert.equal((await get(path, {})).status, 404, path)
  for (const path of [`/${other.id}/logs`, `/${other.id}/jobs/${job}/logs`, '/999999/logs'])
    assert.equal((await get(path)).status, 404, path)
})
