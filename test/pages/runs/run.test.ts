import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rows, startRunner, type TestRunner } from '../../support/forge/actions.ts'
import { samePassword } from '../../support/forge/make.ts'
import { failure, runsIn, steps, success } from '../../support/forge/runs.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'
import { browserHeaders, browserOf, cookieOf, hostile } from '../browser.ts'

const forge = await startForge()
const repo = await startRepository(forge, 'tool')
const { push, look } = runsIn(forge, repo)
const runner = await startRunner(forge, { labels: ['x'] })
const eve = await forge.make.person({ name: 'eve' })
const { page, get, statusOf } = browserOf(forge.url)
const root = 'https://forgehall.example'

/** A run whose only job has three steps, the second of which fails after 100 lines, as the runner reports it. */
async function failingRun({ client }: TestRunner) {
  const run = await push(
    `job: {runs-on: x, steps: [{name: Build, run: a}, {name: "${hostile[0]}", run: b}, {run: c}]}`,
  )
  const { task } = await client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  const lines = [
    'preparing',
    '::group::Compile <all>',
    'compiling',
    '::endgroup::',
    '::warning file=a.ts,line=3::odd%0Aindeed',
    ...Array.from({ length: 95 }, (_, at) => `line ${at}`),
    `::error file=b.ts,line=12::${hostile[1]}`,
    '##[error]old form',
    'cleaning up',
  ]
  await client.updateLog({ taskId: task.id, index: 0n, rows: rows(...lines), noMore: true })
  const stepAt = (number: bigint, result: number, logIndex: bigint, logLength: bigint) => ({
    id: number,
    result,
    logIndex,
    logLength,
    startedAt: { seconds: 1_769_846_400n, nanos: 0 },
    stoppedAt: { seconds: 1_769_846_400n + 75n, nanos: 0 },
  })
  const reported = [stepAt(0n, success, 1n, 3n), stepAt(1n, failure, 4n, 98n)]
  await client.updateTask({ state: { id: task.id, result: failure, steps: reported } })
  const [job] = (await look(run)).jobs
  return { run: `/ada/tool/actions/runs/${run}`, job: `/ada/tool/actions/runs/${run}/jobs/${job?.id}` }
}

const failed = await failingRun(runner)

/** The step of a page: its head, and what is shown of its log. */
function stepIn(shown: string, name: string) {
  const [, head, log = ''] =
    new RegExp(
      `(<details class="step" id="step-${name}"[^>]*>.*?</summary>)(.*?)(?=<details class="step"|</section>)`,
      's',
    ).exec(shown) ?? []
  return { head, log }
}

test('GET /{owner}/{repo}/actions/runs/{run} shows a run with durations, and leads to the step that failed', async () => {
  const shown = await page(failed.run)
  assert.ok(shown.includes(`href="${root}${failed.job}"`))
  assert.ok(shown.includes(`Failed in <a href="${root}${failed.job}#step-1">&lt;script&gt;`))
  assert.doesNotMatch(shown, /data-running/)
})

test('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job} opens the step that failed, and repeats its errors', async () => {
  const shown = await page(failed.job)
  assert.ok(shown.includes(`href="${root}${failed.run}"`))
  const { head, log } = stepIn(shown, '1')
  assert.match(head ?? '', /^<details class="step" id="step-1" open data-fault>.*1 min 15 s.*failure/s)
  assert.match(log, /<span class="log-warning"><b>Warning:<\/b> odd\nindeed <code>a\.ts:3<\/code>/)
  assert.match(log, /line 0\nline 1\n/)
  assert.match(log, /<span class="log-error"><b>Error:<\/b> &#34;&gt;&lt;img[^<]*<code>b\.ts:12<\/code>/)
  assert.match(
    shown,
    /<a href="#step-1">&lt;script&gt;[^<]*<\/a> failed:\n<ul><li>&#34;&gt;.*<li>old form<\/li>/s,
  )
  const built = stepIn(shown, '0')
  assert.doesNotMatch(built.head ?? '', /open|data-fault/)
  assert.match(
    built.log,
    /<details class="log-group"><summary>Compile &lt;all&gt;<\/summary>compiling\n<\/details>/,
  )
  assert.match(stepIn(shown, '2').log, /It has written nothing/)
  assert.match(stepIn(shown, 'setup').log, /preparing\n/)
  assert.match(stepIn(shown, 'end').log, /cleaning up\n/)
  assert.match(stepIn(await page(`${failed.job}?step=0`), '0').head ?? '', /id="step-0" open>/)
  await page(`${failed.job}?step=${encodeURIComponent(hostile[1] ?? '')}`)
  assert.equal(await statusOf(failed.job.replace(/runs\/(\d+)/, (_, run) => `runs/${Number(run) + 1}`)), 404)
})

test('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job} shows the end of a long log, and other parts on request', async () => {
  const run = await push(`job: {runs-on: x, ${steps.replace('[', '[{run: first}, ')}}`)
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  const [job] = (await look(run)).jobs
  const path = `/ada/tool/actions/runs/${run}/jobs/${job?.id}`
  assert.match(await page(path), /<div id="live" data-running>.*id="live-note"/s)
  for (let part = 0; part < 40; part++) {
    const lines = Array.from({ length: 100 }, (_, at) => `${'wide '.repeat(10)}${part * 100 + at}`)
    await runner.client.updateLog({
      taskId: task.id,
      index: BigInt(part * 100),
      rows: rows(...lines),
      noMore: false,
    })
  }
  const reported = [
    {
      id: 0n,
      result: success,
      logIndex: 0n,
      logLength: 1000n,
      startedAt: { seconds: 1_769_846_400n, nanos: 0 },
    },
    { id: 1n, result: 0, logIndex: 1000n, logLength: 10n, startedAt: { seconds: 1_769_846_400n, nanos: 0 } },
  ]
  await runner.client.updateTask({ state: { id: task.id, steps: reported } })
  const shown = await page(path)
  assert.match(stepIn(shown, '1').head ?? '', / open>/)
  assert.match(stepIn(shown, '1').log, /This is its end.* 3999\n<\/div>/s)
  assert.ok(stepIn(shown, '0').log.includes(`<a href="${root}${path}?step=0#step-0">Show its log</a>`))
  const first = stepIn(await page(`${path}?step=0`), '0').log
  assert.match(first, /wide 0\n.*wide 999\n<\/div>/s)
  assert.doesNotMatch(first, /wide 1000\n/)
  assert.ok(shown.length < 200_000, `${shown.length}`)
  await runner.client.updateTask({ state: { id: task.id, result: success } })
  await settled(forge)
})

/** Sends a form of a page. */
async function send(path: string, fields: Record<string, string>, headers: Record<string, string>) {
  const response = await fetch(forge.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...browserHeaders, ...headers },
    body: new URLSearchParams(fields),
  })
  const { status } = response
  return { status, location: response.headers.get('location') ?? '', text: await response.text() }
}

const sessionOf = async (user: string) => ({
  cookie: await cookieOf(forge.url, { user, password: samePassword }),
  'sec-fetch-site': 'same-origin',
})

test('POST /{owner}/{repo}/actions/runs/{run} runs again, and cancels, for those who may', async () => {
  const ada = await sessionOf('ada')
  const buttons = async (headers: Record<string, string>) => {
    const response = await get(failed.run, headers)
    return [...(await response.text()).matchAll(/name="action" value="([a-z-]+)"/g)].map(([, act]) => act)
  }
  assert.deepEqual(await buttons(ada), ['rerun-failed-jobs', 'rerun', 'delete'])
  assert.deepEqual(await buttons(await sessionOf('eve')), [])
  assert.deepEqual(await buttons({}), [])
  for (const act of ['rerun-failed-jobs', 'rerun']) {
    assert.deepEqual(await send(failed.run, { action: act }, ada), {
      status: 303,
      location: `${root}${failed.run}?done=${act}`,
      text: '',
    })
    assert.match(await page(`${failed.run}?done=${act}`), /<p class="notice" role="status"[^>]*>.* again\.</)
    assert.deepEqual(await buttons(ada), ['cancel'])
    const refused = await send(failed.run, { action: act }, ada)
    assert.equal(refused.status, 422)
    assert.match(refused.text, /role="alert"[^>]*>Nothing was changed: this workflow run is not done/)
    assert.equal(
      (await send(failed.run, { action: 'cancel' }, ada)).location,
      `${root}${failed.run}?done=cancel`,
    )
    assert.equal((await send(failed.run, { action: 'cancel' }, ada)).status, 422)
  }
  const actions = await forge.pool<{ action: string }[]>`
    select action from forge.audit where target_kind = 'workflow_run' order by id desc limit 4`
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['workflow_run.cancelled', 'workflow_run.rerun', 'workflow_run.cancelled', 'workflow_run.rerun'],
  )
})

test('GET /{owner}/{repo}/actions/runs/{run}/attempts/{attempt} shows an earlier attempt with its jobs', async () => {
  const newest = await page(failed.run)
  assert.match(newest, /<dt>Attempt<\/dt><dd><span aria-current="true">3<\/span>/)
  const first = await page(`${failed.run}/attempts/1`)
  assert.match(first, /<span class="badge">attempt 1<\/span>/)
  assert.match(first, new RegExp(`href="${root}${failed.job}">`))
  assert.match(first, new RegExp(`Failed in <a href="${root}${failed.job}#step-1">`))
  assert.doesNotMatch(first, /data-running|method="post" action="[^"]+\/runs\//)
  assert.match(
    first,
    new RegExp(`<a href="${root}${failed.run}">3</a> <a href="${root}${failed.run}/attempts/2">2</a>`),
  )
  assert.doesNotMatch(await page(`${failed.run}/attempts/3`), /badge">attempt/)
  assert.equal(await statusOf(`${failed.run}/attempts/4`), 404)
})

test('forms of the page of a run are refused to others, and from other sites', async () => {
  const ada = await sessionOf('ada')
  const [, job] = /jobs\/(\d+)$/.exec(failed.job) ?? []
  for (const act of ['rerun', 'rerun-failed-jobs', 'rerun-job', 'cancel', 'delete', 'delete-artifact']) {
    const fields = { action: act, job: job ?? '', artifact: '1' }
    const path = failed.run
    assert.equal((await send(path, fields, { 'sec-fetch-site': 'same-origin' })).status, 401)
    assert.equal((await send(path, fields, { ...ada, 'sec-fetch-site': 'cross-site' })).status, 403)
    assert.equal((await send(path, fields, await sessionOf('eve'))).status, 403)
    assert.equal((await send(path.replace(/\d+/, '999999'), fields, ada)).status, 404)
  }
  assert.equal((await send(failed.run, { action: 'nothing' }, ada)).status, 400)
  assert.equal(eve.name, 'eve')
})

test('GET /{owner}/{repo}/actions lists runs by workflow, branch, event, state and person', async () => {
  const numbersIn = (shown: string) =>
    [...shown.matchAll(/<h3><a href="[^"]+\/runs\/(\d+)"/g)].map(([, run]) => run)
  const all = numbersIn(await page('/ada/tool/actions'))
  assert.equal(all.length, 2)
  for (const [query, count] of [
    ['status=success', 1],
    ['status=cancelled', 1],
    ['status=failure', 0],
    ['event=push', 2],
    ['event=schedule', 0],
    ['branch=main&actor=ada', 2],
    ['branch=other', 0],
    ['actor=eve', 0],
    ['actor=nobody', 0],
    ['workflow=w1.yml', 1],
    ['status=nonsense', 0],
  ] as const)
    assert.equal(numbersIn(await page(`/ada/tool/actions?${query}`)).length, count, query)
  const shown = await page(`/ada/tool/actions?event=push&branch=${encodeURIComponent(hostile[0] ?? '')}`)
  assert.match(shown, /No runs match/)
  assert.ok(
    shown.includes(
      `<a href="${root}/ada/tool/actions?event=push" aria-label="Show all again, not only branch`,
    ),
  )
})

test('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job} says what a job that has not begun waits for', async () => {
  const run = await push(
    `a: {runs-on: [nowhere, "${hostile[0]}"], ${steps}}\nb: {needs: a, runs-on: x, ${steps}}`,
  )
  const [a, b] = (await look(run)).jobs
  const waiting = (job: typeof a) => page(`/ada/tool/actions/runs/${run}/jobs/${job?.id}`)
  assert.match(
    await waiting(a),
    /<p class="empty">It waits for a runner with the labels nowhere, &lt;script&gt;/,
  )
  assert.match(await waiting(b), /<p class="empty">It waits for other jobs\.<\/p>/)
})

test('POST /{owner}/{repo}/actions/runs/{run} lets a run start that waits for it', async () => {
  const ada = await sessionOf('ada')
  const run = await push(`job: {runs-on: nowhere, ${steps}}`)
  const path = `/ada/tool/actions/runs/${run}`
  const approval = { action: 'approve' }
  assert.equal((await send(path, approval, ada)).status, 422)
  // As if a pull request from a fork had caused it.
  await forge.pool`update forge.action_run set needs_approval = true, status = 'blocked' where id = ${run}`
  await forge.pool`update forge.action_attempt set is_held = true, status = 'blocked' where run_id = ${run}`
  await forge.pool`update forge.action_job set status = 'blocked' where run_id = ${run}`
  const shown = await (await get(path, ada)).text()
  assert.match(shown, /role="note">The pull request comes from a fork/)
  assert.match(shown, /value="approve"/)
  assert.doesNotMatch(await (await get(path, await sessionOf('eve'))).text(), /value="approve"/)
  assert.equal((await send(path, approval, await sessionOf('eve'))).status, 403)
  assert.equal((await send(path, approval, ada)).location, `${root}${path}?done=approve`)
  assert.equal((await look(run)).states, 'job queued')
  assert.doesNotMatch(await page(path), /role="note"/)
})

test('POST /{owner}/{repo}/actions/runs/{run} runs one job again, and deletes a run that has ended', async () => {
  const ada = await sessionOf('ada')
  const run = await push(`a: {runs-on: x, ${steps}}\nb: {runs-on: x, ${steps}}`)
  const path = `/ada/tool/actions/runs/${run}`
  for (const _ of ['a', 'b']) {
    const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
    assert.ok(task)
    assert.doesNotMatch(await (await get(path, ada)).text(), /value="delete"/)
    await runner.client.updateTask({ state: { id: task.id, result: success } })
  }
  await settled(forge)
  assert.equal((await look(run)).states, 'a success, b success')
  const job = (await look(run)).jobs.find(({ name }) => name === 'a')
  const shown = await (await get(`${path}/jobs/${job?.id}`, ada)).text()
  assert.match(shown, /value="rerun-job"/)
  assert.doesNotMatch(await page(`${path}/jobs/${job?.id}`), /value="rerun-job"/)
  const again = { action: 'rerun-job', job: String(job?.id) }
  assert.equal((await send(path, again, ada)).location, `${root}${path}?done=rerun-job`)
  assert.equal((await look(run)).states, 'a queued, b success')
  assert.doesNotMatch(await (await get(`${path}/jobs/${job?.id}`, ada)).text(), /value="rerun-job"/)
  assert.equal((await send(path, { action: 'delete' }, ada)).status, 422)
  await send(path, { action: 'cancel' }, ada)
  assert.equal((await send(path, { action: 'delete' }, ada)).location, `${root}/ada/tool/actions`)
  assert.equal(await statusOf(path), 404)
})
