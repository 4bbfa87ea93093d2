import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rows, startRunner } from '../../support/forge/actions.ts'
import { failure, runsIn } from '../../support/forge/runs.ts'
import { startForge, startRepository } from '../../support/forge/workflows.ts'
import { browserOf, hostile } from '../browser.ts'

const forge = await startForge()
const repo = await startRepository(forge, 'tool')
const { push, look } = runsIn(forge, repo)
const { client } = await startRunner(forge, { labels: ['x'] })
const { page } = browserOf(forge.url)
const secretOf = { owner: 'ada', repo: 'tool', secretname: 'PASSWORD' }

/** A job that runs, and what sends lines of its log. */
async function startJob() {
  const run = await push('job: {name: Build, runs-on: x, steps: [{run: a}, {run: b}]}')
  const { task } = await client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  const job = (await look(run)).jobs[0]?.id
  const send = (index: number, ...lines: string[]) =>
    client.updateLog({ taskId: task.id, index: BigInt(index), rows: rows(...lines) })
  const steps = [{ id: 1n, result: failure, logIndex: 3n, logLength: 100n }]
  const end = () => client.updateTask({ state: { id: task.id, result: failure, steps } })
  return { task: Number(task.id), send, end, run: `/ada/tool/actions/runs/${run}`, job: `${job}` }
}

/** The annotations of a page. */
const listed = async (path: string) => {
  const [, list = ''] = /id="annotation-list" data-part>(.*?)<\/ul>/s.exec(await page(path)) ?? []
  return [...list.matchAll(/<li>(.*?)(?=<li>|$)/gs)].map(([, entry = '']) => entry)
}

test('GET /{owner}/{repo}/actions/runs/{run} lists annotations of logs, errors first, with links to their steps', async () => {
  const { status } = await forge.call('PUT /api/v1/repos/{owner}/{repo}/actions/secrets/{secretname}', {
    as: forge.ada,
    params: secretOf,
    body: { data: 'open-sesame' },
  })
  assert.equal(status, 201)
  const { send, end, run, job } = await startJob()
  const lines = [
    'hi',
    `::notice::${hostile[0]}`,
    '::warning file=a.ts,line=3,title=Odd::indeed',
    '::error::open-sesame',
  ]
  await send(0, ...lines)
  await send(0, ...lines)
  assert.equal((await listed(run)).length, 3)
  await end()
  const [error = '', warning = '', notice = '', ...others] = await listed(run)
  assert.deepEqual(others, [])
  assert.match(error, /^<p class="prose-text"><b>Error:<\/b> \*\*\*<\/p>/)
  assert.ok(error.includes(`<a href="https://forgehall.example${run}/jobs/${job}?step=1#step-1">Build</a>`))
  assert.match(warning, /<b>Warning:<\/b> Odd: indeed <code>a\.ts:3<\/code>/)
  assert.match(notice, /<b>Notice:<\/b> &lt;script&gt;/)
  assert.deepEqual((await listed(`${run}/jobs/${job}`)).length, 3)
})

test('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job} lists the first annotations of each kind', async () => {
  const { task, send, end, run, job } = await startJob()
  const many = (kind: string, count: number) =>
    Array.from({ length: count }, (_, at) => `::${kind}::${kind} ${at}.`)
  await send(0, ...many('warning', 15), 'between', ...many('error', 30))
  await send(46, ...many('warning', 15), ...many('notice', 30))
  const kept = await forge.pool<{ kind: string; kept: number }[]>`
    select kind, count(*) as kept from forge.action_annotation where task_id = ${task} group by kind order by kind`
  assert.deepEqual(
    kept.map(({ kind, kept }) => [kind, kept]),
    [
      ['error', 20],
      ['notice', 20],
      ['warning', 20],
    ],
  )
  await end()
  const shown = await listed(`${run}/jobs/${job}`)
  assert.equal(shown.length, 50)
  assert.ok(shown[19]?.includes('error 19.') && shown[20]?.includes('warning 0.'))
})
