import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runsIn, steps } from '../support/forge/runs.ts'
import { startForge, startRepository } from '../support/forge/workflows.ts'

const forge = await startForge()
const repo = await startRepository(forge, 'tool')
const { push, look } = runsIn(forge, repo)
const run = await push(`job-of-the-page: {runs-on: x, ${steps}}`)
const [job] = (await look(run)).jobs
const runPath = `/ada/tool/actions/runs/${run}`
const jobPath = `${runPath}/jobs/${job?.id}`

const get = async (path: string) => {
  const response = await fetch(forge.url + path, { headers: { accept: 'text/html' } })
  return { status: response.status, page: await response.text() }
}

test('GET /{owner}/{repo}/actions/runs/{run} shows a run and leads to its jobs', async () => {
  const { status, page } = await get(runPath)
  assert.equal(status, 200)
  assert.ok(page.includes(`href="https://forgehall.example${jobPath}"`))
  assert.match(page, /job-of-the-page/)
})

test('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job} shows a job of this run, and leads to the run', async () => {
  const { status, page } = await get(jobPath)
  assert.equal(status, 200)
  assert.ok(page.includes(`href="https://forgehall.example${runPath}"`))
  assert.match(page, /job-of-the-page/)
  assert.equal((await get(jobPath.replace(`runs/${run}`, `runs/${run + 1}`))).status, 404)
})
