import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRunner } from '../../support/forge/actions.ts'
import { runsIn, steps, success } from '../../support/forge/runs.ts'
import { startForge, startRepository } from '../../support/forge/workflows.ts'
import { until } from '../../support/wait.ts'
import { browserOf, hostile } from '../browser.ts'

const forge = await startForge()
const repo = await startRepository(forge, 'tool')
const { push, look } = runsIn(forge, repo)
const runner = await startRunner(forge, { labels: ['x'] })
const { page } = browserOf(forge.url)

test('GET /{owner}/{repo}/actions/runs/{run} and the pages of its jobs show the environments that jobs name', async () => {
  const named = (name: string, url = '') => `environment: {name: '${name}', url: "${url}"}, ${steps}`
  const run = await push(`a: {runs-on: none, ${named('live & well', 'https://live.example/?a=1&b=2')}}
b: {runs-on: none, ${named(hostile[0] ?? '', 'javascript:alert(1)')}}
c: {needs: d, runs-on: none, environment: "\${{ needs.d.outputs.where }}", ${steps}}
d: {runs-on: x, outputs: {where: "\${{ steps.s.outputs.where }}"}, ${steps}}`)
  const shown = await page(`/ada/tool/actions/runs/${run}`)
  const link =
    'Environment <a href="https://live.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow ugc">live &amp; well</a>'
  assert.ok(shown.includes(link))
  assert.ok(shown.includes('Environment &lt;script&gt;'))
  assert.ok(!shown.includes('javascript:'))
  const [first] = (await look(run)).jobs
  assert.ok((await page(`/ada/tool/actions/runs/${run}/jobs/${first?.id}`)).includes(link))
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  await runner.client.updateTask({
    state: { id: task?.id ?? 0n, result: success },
    outputs: { where: 'moon' },
  })
  await until('the server has planned the job', async () =>
    (await page(`/ada/tool/actions/runs/${run}`)).includes('Environment moon'),
  )
})
