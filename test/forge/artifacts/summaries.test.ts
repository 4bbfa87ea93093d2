import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserOf, hostile } from '../../pages/browser.ts'
import { startRunner } from '../../support/forge/actions.ts'
import { runsIn } from '../../support/forge/runs.ts'
import { startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const repo = await startRepository(forge, 'tool')
const { push, look } = runsIn(forge, repo)
const { client } = await startRunner(forge, { labels: ['x'] })
const { page } = browserOf(forge.url)
const path = '/api/actions_pipeline/_apis/pipelines/workflows/{run}/jobs/{job}/steps/{step}/summary'

/** A job with this many steps that runs, and how its runner sends what a step has written. */
async function startSteps(steps = 2) {
  const list = Array.from({ length: steps }, (_, at) => `{name: "Step ${at}", run: a}`).join(', ')
  const run = await push(`job: {name: Build, runs-on: x, steps: [${list}]}`)
  const { task } = await client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  const job = (await look(run)).jobs[0]?.id ?? 0
  const authorization = `Bearer ${task.context?.gitea_runtime_token}`
  const send = async (
    text: string | Uint8Array<ArrayBuffer>,
    to: { step?: string | number; job?: number; run?: number; token?: string } = {},
  ) => {
    const params: Record<string, string> = {
      run: String(to.run ?? run),
      job: String(to.job ?? job),
      step: String(to.step ?? 0),
    }
    const response = await fetch(forge.url + path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? ''), {
      method: 'PUT',
      body: text,
      headers: { authorization: to.token ?? authorization, 'content-type': 'text/markdown; charset=utf-8' },
    })
    const body = await response.json()
    return { status: response.status, message: body.message as string }
  }
  const end = () => client.updateTask({ state: { id: task.id, result: 1 } })
  const pages = [`/ada/tool/actions/runs/${run}`, `/ada/tool/actions/runs/${run}/jobs/${job}`] as const
  return { run, job, task: Number(task.id), token: task.context?.token, send, end, pages }
}

const stored = (task: number) => forge.pool<{ step: number; content: string }[]>`
  select step, content from forge.action_summary where task_id = ${task} order by step`

test('a runner that declares itself learns that the server takes summaries', async () => {
  let capabilities: string | null = null
  await client.declare(
    { version: 'v3', labels: ['x'] },
    {
      onHeader: (headers) => {
        capabilities = headers.get('x-gitea-actions-capabilities')
      },
    },
  )
  assert.equal(capabilities, 'job-summary')
})

test(`PUT ${path} shows what steps have written on the pages of the run and of the job`, async () => {
  const job = await startSteps()
  assert.deepEqual(await job.send('### **Second**', { step: 1 }), { status: 200, message: 'success' })
  assert.equal((await job.send('| a | b |\n|---|---|\n| 1 | 2 |')).status, 200)
  assert.equal((await job.send('# Result\n\nall *good*')).status, 200)
  const [run, own] = [await page(job.pages[0]), await page(job.pages[1])]
  for (const shown of [run, own]) {
    assert.match(shown, /aria-label="Summary of Step 0" id="summary-\d+-0" data-part>.*all <em>good<\/em>/s)
    assert.match(shown, /all <em>good.*<strong>Second<\/strong>/s)
    assert.doesNotMatch(shown, /<td>1<\/td>/)
  }
  assert.match(run, /Build · Step 0/)
  await job.end()
  assert.equal((await job.send('late')).status, 401)
  assert.equal(await page(job.pages[1]).then((shown) => shown.includes('Second')), true)
})

test(`PUT ${path} hides secrets, and pages show no hostile markup`, async () => {
  const params = { owner: 'ada', repo: 'tool', secretname: 'PASSWORD' }
  const secret = 'open-sesame'
  const { status } = await forge.call('PUT /api/v1/repos/{owner}/{repo}/actions/secrets/{secretname}', {
    as: forge.ada,
    params,
    body: { data: secret },
  })
  assert.equal(status, 201)
  const job = await startSteps()
  const text = `${hostile.join('\n\n')}\n\n[link](javascript:alert(1)) ${secret} ${job.token}`
  assert.equal((await job.send(text)).status, 200)
  const [row] = await stored(job.task)
  assert.match(row?.content ?? '', /alert\(1\)\) \*\*\* \*\*\*$/)
  for (const path of job.pages) {
    const [, summary = ''] = /id="summary-(.*?)<\/section>/s.exec(await page(path)) ?? []
    assert.match(summary, /<p class="meta">.*\*\*\*/s)
    assert.doesNotMatch(summary, /<script|onload=|onerror=|onmouseover='|href="javascript/)
  }
  await job.end()
})

test(`PUT ${path} refuses other jobs and runs, unknown steps, and what is too long or too much`, async () => {
  const job = await startSteps(22)
  assert.equal((await job.send('x', { token: 'Bearer nonsense' })).status, 401)
  assert.equal((await job.send('x', { run: job.run + 1 })).status, 404)
  assert.equal((await job.send('x', { job: job.job + 1 })).status, 404)
  for (const step of [22, -1, 'x', '0x1', '99999999999999999999'])
    assert.equal((await job.send('x', { step })).status, 404, String(step))
  assert.equal((await job.send('x'.repeat(1024 * 1024 + 1))).status, 413)
  assert.equal((await stored(job.task)).length, 0)
  assert.equal((await job.send('x'.repeat(1024 * 1024))).status, 200)
  assert.equal((await job.send(Uint8Array.of(0x61, 0, 0xff), { step: 1 })).status, 200)
  assert.equal((await stored(job.task))[1]?.content, 'a\ufffd\ufffd')
  for (let step = 2; step < 20; step++) assert.equal((await job.send(hostile[0] ?? '', { step })).status, 200)
  assert.deepEqual(await job.send('x', { step: 20 }), {
    status: 413,
    message: 'a job has at most 20 summaries',
  })
  assert.equal((await job.send('again', { step: 19 })).status, 200)
  await job.end()
})
