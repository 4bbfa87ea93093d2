import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { type RunningJob, startJob } from '../../support/forge/running-job.ts'

const app = await startApp()
const { call, make, clock } = app
const [ada, eve] = await make.people('ada', 'eve')
const boss = await make.admin({ name: 'boss' })
const service = '/twirp/github.actions.results.api.v1.ArtifactService'
const path = '/api/v1/repos/{owner}/{repo}/actions/artifacts'

const reached = (address: string) => new URL(address.replace('https://forgehall.example', app.url))

async function keep(job: RunningJob, name: string, text: string): Promise<number> {
  const body = { workflow_run_backend_id: String(job.run), name }
  const created = await call(`POST ${service}/CreateArtifact`, { as: job.as, body })
  await fetch(reached(created.body.signedUploadUrl), { method: 'PUT', body: text })
  const done = await call(`POST ${service}/FinalizeArtifact`, {
    as: job.as,
    body: { ...body, size: text.length },
  })
  return Number(done.body.artifactId)
}

const named = (name: string) => ({ owner: 'ada', repo: name })

test(`GET ${path} lists the newest first, by name and of a run, page by page`, async () => {
  const job = await startJob(app, ada, { name: 'lists' })
  const [one, two] = [await keep(job, 'one', '1'), await keep(job, 'two', '22')]
  const other = await startJob(app, ada, { repository: job.repository })
  const three = await keep(other, 'one', '333')
  const ids = async (query = {}) => {
    const { body } = await call(`GET ${path}`, { as: ada, params: named('lists'), query })
    return [body.total_count, ...body.artifacts.map(({ id }: { id: number }) => id)]
  }
  assert.deepEqual(await ids(), [3, three, two, one])
  assert.deepEqual(await ids({ name: 'one' }), [2, three, one])
  assert.deepEqual(await ids({ limit: 1, page: 2 }), [3, two])
  const ofRun = await call('GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}/artifacts', {
    as: ada,
    params: { ...named('lists'), run: job.run },
  })
  assert.deepEqual(
    ofRun.body.artifacts.map(({ id }: { id: number }) => id),
    [two, one],
  )
  const { body } = await call(`GET ${path}/{artifact_id}`, {
    as: ada,
    params: { ...named('lists'), artifact_id: two },
  })
  assert.deepEqual(body, {
    id: two,
    name: 'two',
    size_in_bytes: 2,
    url: `https://forgehall.example/api/v1/repos/ada/lists/actions/artifacts/${two}`,
    archive_download_url: `https://forgehall.example/api/v1/repos/ada/lists/actions/artifacts/${two}/zip`,
    expired: false,
    workflow_run: { id: job.run, repository_id: job.repository.id, head_sha: 'f'.repeat(40) },
    created_at: '2026-01-31T08:00:00Z',
    updated_at: '2026-01-31T08:00:00Z',
    expires_at: '2026-05-01T08:00:00Z',
  })
})

test(`GET ${path}/{artifact_id}/zip leads to the content for ten minutes`, async () => {
  const job = await startJob(app, ada, { name: 'zip' })
  const params = { ...named('zip'), artifact_id: await keep(job, 'one', 'content') }
  const { status, headers } = await call(`GET ${path}/{artifact_id}/zip`, { as: ada, params })
  assert.equal(status, 302)
  const address = reached(headers.get('location') ?? '')
  assert.equal(await (await fetch(address)).text(), 'content')
  clock.tick(600_001)
  assert.equal((await fetch(address)).status, 401)
})

test(`DELETE ${path}/{artifact_id} deletes it for who may write, and records that`, async () => {
  const job = await startJob(app, ada, { name: 'removed' })
  const params = { ...named('removed'), artifact_id: await keep(job, 'one', 'x') }
  const literal = `DELETE ${path}/{artifact_id}`
  assert.equal((await call(literal, { as: eve, params })).status, 404)
  assert.equal((await call(literal, { params })).status, 404)
  const { headers } = await call(`GET ${path}/{artifact_id}/zip`, { as: ada, params })
  assert.equal((await call(literal, { as: ada, params })).status, 204)
  for (const again of [literal, `GET ${path}/{artifact_id}`, `GET ${path}/{artifact_id}/zip`])
    assert.equal((await call(again, { as: ada, params })).status, 404)
  assert.equal((await fetch(reached(headers.get('location') ?? ''))).status, 404)
  const { body } = await call('GET /api/v1/admin/audit', { as: boss, query: { target: 'ada/removed/one' } })
  assert.equal(body.entries[0].action, 'artifact.deleted')
})

test(`GET ${path} shows nothing of a repository to whom it is hidden, or of another one`, async () => {
  const job = await startJob(app, ada, { name: 'hidden' })
  const artifact_id = await keep(job, 'one', 'x')
  await startJob(app, ada, { name: 'beside' })
  for (const literal of [`GET ${path}/{artifact_id}`, `GET ${path}/{artifact_id}/zip`]) {
    assert.equal((await call(literal, { as: eve, params: { ...named('hidden'), artifact_id } })).status, 404)
    assert.equal((await call(literal, { as: ada, params: { ...named('beside'), artifact_id } })).status, 404)
  }
  assert.equal((await call(`GET ${path}`, { as: eve, params: named('hidden') })).status, 404)
  assert.equal((await call(`GET ${path}`, { as: ada, params: named('beside') })).body.total_count, 0)
})

test('GET /{owner}/{repo}/actions/runs/{run}/artifacts/{artifact_id} is what the page of a run links', async () => {
  const job = await startJob(app, ada, { name: 'pages' })
  const id = await keep(job, 'report', 'content of it')
  const page = `${app.url}/ada/pages/actions/runs/${job.run}`
  const headers = { authorization: ada.authorization }
  const shown = await (await fetch(page, { headers })).text()
  assert.match(shown, new RegExp(`/ada/pages/actions/runs/${job.run}/artifacts/${id}">report</a>`))
  const sent = await fetch(`${page}/artifacts/${id}`, { headers })
  assert.equal(await sent.text(), 'content of it')
  const status = async (more: Record<string, string>) =>
    (await fetch(`${page}/artifacts/${id}`, { headers: { ...headers, ...more } })).status
  assert.equal(await status({ 'if-none-match': sent.headers.get('etag') ?? '' }), 304)
  assert.equal(await status({ range: 'bytes=0-3' }), 206)
  assert.equal(await status({ range: 'bytes=99-' }), 416)
  const stranger = await fetch(`${page}/artifacts/${id}`, { headers: { authorization: eve.authorization } })
  assert.equal(stranger.status, 404)
  const other = await startJob(app, ada, { repository: job.repository })
  assert.equal(
    (await fetch(`${app.url}/ada/pages/actions/runs/${other.run}/artifacts/${id}`, { headers })).status,
    404,
  )
})
