import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { rows } from '../../support/forge/actions.ts'
import { startJob } from '../../support/forge/running-job.ts'
import { signedIn } from './browser.ts'

const app = await startApp()
const { call, make, pool } = app
await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'ada' })
const { page } = await signedIn(app, 'boss')
const path = '/-/admin/storage'

const service = '/twirp/github.actions.results.api.v1.ArtifactService'

/** A job that keeps an artifact of these bytes, finished or not. */
async function keep(name: string, bytes: number, isFinished = true) {
  const job = await startJob(app, ada, { name })
  const body = { workflow_run_backend_id: String(job.run), name: 'dist' }
  const created = await call(`POST ${service}/CreateArtifact`, { as: job.as, body })
  const address = created.body.signedUploadUrl.replace('https://forgehall.example', app.url)
  assert.equal((await fetch(address, { method: 'PUT', body: 'x'.repeat(bytes) })).status, 201)
  if (isFinished)
    await call(`POST ${service}/FinalizeArtifact`, { as: job.as, body: { ...body, size: bytes } })
  return job
}

test(`GET ${path} shows what artifacts and logs of each repository take, the most first`, async () => {
  assert.match(await page(path), /0 B of artifacts · 0 B of logs.*No repositories whose runs have kept/s)
  await keep('small', 10)
  const job = await keep('large', 5_000)
  await keep('begun', 300, false)
  const log = rows('x'.repeat(20_000))
  const [task] = await pool<{ id: number }[]>`select id from forge.action_task where job_id = ${job.job}`
  await job.runner.client.updateLog({ taskId: BigInt(task?.id ?? 0), index: 0n, rows: log, noMore: false })
  const shown = await page(path)
  assert.match(shown, /All repositories: 5\.3 kB of artifacts · 20\.0 kB of logs/)
  assert.match(
    shown,
    /3 repositories.*ada\/large.*5\.0 kB of.*20\.0 kB of logs.*ada\/begun.*300 B.*ada\/small.*10 B of artifacts · 0 B/s,
  )
  await pool`update forge.action_task set log_expired = true`
  assert.match(await page(path), /5\.3 kB of artifacts · 0 B of logs/)
  assert.match(await page('/-/admin'), /-\/admin\/storage">Artifacts and logs/)
})
