import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { startJob } from '../../support/forge/running-job.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf } from '../browser.ts'
import { led } from '../forms.ts'

const app = await startApp()
const { call, make } = app
const ada = await make.person({ name: 'ada' })
await make.person({ name: 'eve' })
const service = '/twirp/github.actions.results.api.v1.ArtifactService'

test('POST /{owner}/{repo}/actions/runs/{run} deletes an artifact, for those who may', async () => {
  const job = await startJob(app, ada, { name: 'built' })
  await app.pool`update forge.repository set is_private = false where id = ${job.repository.id}`
  const body = { workflow_run_backend_id: String(job.run), name: 'dist' }
  const created = await call(`POST ${service}/CreateArtifact`, { as: job.as, body })
  const address = created.body.signedUploadUrl.replace('https://forgehall.example', app.url)
  await fetch(address, { method: 'PUT', body: 'bytes' })
  const kept = await call(`POST ${service}/FinalizeArtifact`, { as: job.as, body: { ...body, size: 5 } })
  const artifact = String(kept.body.artifactId)
  const path = `/ada/built/actions/runs/${job.run}`
  const [owner, visitor] = [await signedIn(app, 'ada'), await signedIn(app, 'eve')]
  const deletion = { action: 'delete-artifact', artifact }
  assert.match(await owner.page(path), /value="delete-artifact"/)
  for (const shown of [await visitor.page(path), await browserOf(app.url).page(path)]) {
    assert.match(shown, /\/artifacts\/\d+">dist</)
    assert.doesNotMatch(shown, /value="delete-artifact"/)
  }
  assert.equal((await visitor.post(path, deletion)).status, 403)
  assert.equal(await led(owner, path, deletion), `${path}?done=delete-artifact`)
  assert.doesNotMatch(await owner.page(path), /\/artifacts\//)
  assert.equal((await owner.post(path, deletion)).status, 422)
})
