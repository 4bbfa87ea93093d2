import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { fetchJob, type RunningJob, startJob } from '../../support/forge/running-job.ts'
import { until } from '../../support/wait.ts'

const app = await startApp({ ACTIONS_ARTIFACTS_LIMIT: '1000' })
const { call, pool, make, clock } = app
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'ada' })
const service = '/twirp/github.actions.results.api.v1.ArtifactService'
const FILES = 'POST /api/actions_pipeline/_apis/pipelines/workflows/{run}/artifacts'

/** The bodies of calls for an artifact of this name. */
const named = ({ run, job }: RunningJob, name: string) => ({
  workflow_run_backend_id: String(run),
  workflow_job_run_backend_id: String(job),
  name,
})

const rpc = (job: RunningJob, method: string, body: object) =>
  call(`POST ${service}/${method}`, { as: job.as, body })

/** A signed address begins with the public root of the server. */
const reached = (address: string) => new URL(address.replace('https://forgehall.example', app.url))

/** Sends to a signed address, as the client of the public actions does. */
async function put(address: string, query: Record<string, string>, body = '') {
  const url = reached(address)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const { status } = await fetch(url, { method: 'PUT', body })
  return status
}

const listOf = (...blocks: string[]) =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><BlockList>${blocks.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`

async function begin(job: RunningJob, name: string, more: object = {}): Promise<string> {
  const { status, body } = await rpc(job, 'CreateArtifact', { ...named(job, name), version: 4, ...more })
  assert.equal(status, 200)
  assert.equal(body.ok, true)
  return body.signedUploadUrl
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function upload(job: RunningJob, name: string, text: string): Promise<number> {
  const address = await begin(job, name)
  assert.equal(await put(address, { comp: 'block', blockid: 'QQ==' }, text), 201)
  assert.equal(await put(address, { comp: 'blocklist' }, listOf('QQ==')), 201)
  const sent = { ...named(job, name), size: String(text.length), hash: `sha256:${sha256(text)}` }
  const { status, body } = await rpc(job, 'FinalizeArtifact', sent)
  assert.equal(status, 200)
  return Number(body.artifactId)
}

async function download(job: RunningJob, name: string, headers: Record<string, string> = {}) {
  const { body } = await rpc(job, 'GetSignedArtifactURL', named(job, name))
  const response = await fetch(reached(body.signedUrl), { headers })
  return { response, address: body.signedUrl as string, text: await response.text() }
}

const names = async (job: RunningJob, filter: object = {}) => {
  const { body } = await rpc(job, 'ListArtifacts', { workflow_run_backend_id: String(job.run), ...filter })
  return body.artifacts.map(({ name }: { name: string }) => name)
}

test(`POST ${service}/CreateArtifact: blocks arrive out of order and twice, and are sent in the order of the list`, async () => {
  const job = await startJob(app, ada, { name: 'blocks' })
  const address = await begin(job, 'dist', { mime_type: 'application/zip' })
  assert.equal(await put(address, { comp: 'block', blockid: 'b3' }, 'three'), 201)
  assert.equal(await put(address, { comp: 'block', blockid: 'b1' }, 'wrong'), 201)
  assert.equal(await put(address, { comp: 'block', blockid: 'b1' }, 'one-'), 201)
  assert.equal(await put(address, { comp: 'block', blockid: 'left out' }, 'nowhere'), 201)
  assert.equal(await put(address, { comp: 'block', blockid: 'b2' }, 'two-'), 201)
  assert.deepEqual(await names(job), [], 'nobody sees an unfinished artifact')
  assert.equal(
    await put(address, { comp: 'blocklist' }, listOf('b1', 'b2', 'b9')),
    400,
    'a block that was not sent',
  )
  assert.equal(await put(address, { comp: 'blocklist' }, listOf('b1', 'b1')), 400, 'a block twice')
  assert.equal(await put(address, { comp: 'blocklist' }, listOf('b1', 'b2', 'b3')), 201)
  const text = 'one-two-three'
  const wrong = await rpc(job, 'FinalizeArtifact', { ...named(job, 'dist'), size: '4' })
  assert.deepEqual([wrong.status, wrong.body.code], [422, 'invalid_argument'])
  const other = { ...named(job, 'dist'), size: String(text.length), hash: `sha256:${sha256('else')}` }
  assert.equal((await rpc(job, 'FinalizeArtifact', other)).status, 422)
  const { body } = await rpc(job, 'FinalizeArtifact', { ...other, hash: `sha256:${sha256(text)}` })
  assert.equal(body.ok, true)
  const { response, text: sent } = await download(job, 'dist')
  assert.equal(sent, text)
  assert.equal(response.headers.get('content-type'), 'application/zip')
  assert.equal(
    response.headers.get('content-disposition'),
    `attachment; filename="dist.zip"; filename*=UTF-8''dist.zip`,
  )
  const etag = response.headers.get('etag') ?? ''
  assert.equal((await download(job, 'dist', { 'if-none-match': etag })).response.status, 304)
  assert.equal((await download(job, 'dist', { range: 'bytes=99-' })).response.status, 416)
  const part = await download(job, 'dist', { range: 'bytes=2-5' })
  assert.deepEqual([part.response.status, part.text], [206, 'e-tw'])
  assert.equal(await put(address, { comp: 'block', blockid: 'b4' }, 'late'), 404, 'it is complete')
  const [listed] = (await rpc(job, 'ListArtifacts', { workflow_run_backend_id: String(job.run) })).body
    .artifacts
  assert.deepEqual(listed, {
    workflowRunBackendId: String(job.run),
    workflowJobRunBackendId: String(job.job),
    databaseId: body.artifactId,
    name: 'dist',
    size: '13',
    createdAt: '2026-01-31T08:00:00.000Z',
    digest: `sha256:${sha256(text)}`,
  })
})

test(`PUT ${service}/UploadArtifact takes a whole content, and blocks without an id in the order of their arrival`, async () => {
  const job = await startJob(app, ada, { name: 'forms' })
  const whole = await begin(job, 'whole', { mimeType: 'text/plain' })
  assert.equal(await put(whole, {}, 'first'), 201)
  assert.equal(await put(whole, {}, 'all of it'), 201)
  assert.equal((await rpc(job, 'FinalizeArtifact', { ...named(job, 'whole'), size: 9 })).status, 200)
  assert.equal((await download(job, 'whole')).text, 'all of it')
  const appended = await begin(job, 'appended')
  assert.equal(await put(appended, { comp: 'block' }, 'a'), 201)
  assert.equal(await put(appended, { comp: 'appendBlock' }, 'b'), 201)
  assert.equal((await rpc(job, 'FinalizeArtifact', { ...named(job, 'appended'), size: '2' })).status, 200)
  assert.equal((await download(job, 'appended')).text, 'ab')
  assert.equal(await put(await begin(job, 'unknown'), { comp: 'other' }, 'x'), 400)
  assert.equal(await put(await begin(job, 'unknown'), { comp: 'block', blockid: 'x'.repeat(65) }, 'x'), 400)
})

test('an artifact of a name is kept once, begun again after a failure, and replaced after it is deleted', async () => {
  const job = await startJob(app, ada, { name: 'again' })
  const address = await begin(job, 'dist')
  await put(address, { comp: 'block', blockid: 'b' }, 'of a step that failed')
  const id = await upload(job, 'dist', 'of the next step')
  assert.equal(await put(address, { comp: 'block', blockid: 'b' }, 'late'), 404)
  const twice = await rpc(job, 'CreateArtifact', named(job, 'dist'))
  assert.deepEqual([twice.status, twice.body.code], [409, 'already_exists'])
  const removed = await rpc(job, 'DeleteArtifact', named(job, 'dist'))
  assert.deepEqual(removed.body, { ok: true, artifactId: String(id) })
  assert.equal((await rpc(job, 'DeleteArtifact', named(job, 'dist'))).status, 404)
  assert.equal((await rpc(job, 'GetSignedArtifactURL', named(job, 'dist'))).status, 404)
  await upload(job, 'dist', 'new')
  assert.equal((await download(job, 'dist')).text, 'new')
})

test('of two jobs that complete an artifact of one name, one gets 409', async () => {
  const first = await startJob(app, ada, { name: 'race', jobs: 2 })
  const second = await fetchJob(app, first)
  for (const job of [first, second]) {
    assert.equal(await put(await begin(job, 'dist'), {}, 'x'), 201)
  }
  const finalize = (job: RunningJob) => rpc(job, 'FinalizeArtifact', { ...named(job, 'dist'), size: '1' })
  const answers = await Promise.all([finalize(first), finalize(second)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
})

test('jobs of a run see the artifacts of each other; those of other runs and of nobody do not', async () => {
  const job = await startJob(app, ada, { name: 'others', jobs: 2 })
  await upload(job, 'one', '1')
  await upload(job, 'two', '2')
  const next = await fetchJob(app, job)
  assert.deepEqual(await names(next), ['one', 'two'])
  assert.deepEqual(await names(next, { name_filter: 'two' }), ['two'])
  const stranger = await startJob(app, ada, { repository: job.repository })
  assert.deepEqual(await names(stranger), [])
  const asked = { workflow_run_backend_id: String(job.run), name: 'one' }
  for (const method of [
    'CreateArtifact',
    'FinalizeArtifact',
    'ListArtifacts',
    'GetSignedArtifactURL',
    'DeleteArtifact',
  ])
    for (const [as, status] of [
      [stranger.as, 404],
      [ada, 401],
      [{ authorization: `${job.as.authorization}x` }, 401],
      [{ authorization: 'Bearer a.b.c' }, 401],
      [undefined, 401],
    ] as const)
      assert.equal(
        (await call(`POST ${service}/${method}`, { ...(as && { as }), body: asked })).status,
        status,
        method,
      )
})

test('a token and the address of an upload end with their job; an address does not change', async () => {
  const job = await startJob(app, ada, { name: 'ends' })
  const address = await begin(job, 'dist')
  await upload(job, 'kept', 'kept')
  const { address: kept } = await download(job, 'kept')
  for (const [name, value] of [
    ['artifact', '1'],
    ['run', '1'],
    ['expires', '99999999999999'],
    ['signature', 'AAAA'],
  ] as const)
    assert.equal(await put(address, { [name]: value }, 'x'), 401, name)
  await job.end()
  assert.equal(await put(address, {}, 'x'), 401)
  assert.equal((await rpc(job, 'CreateArtifact', named(job, 'late'))).status, 401)
  assert.equal((await fetch(reached(kept))).status, 200)
  clock.tick(600_001)
  assert.equal((await fetch(reached(kept))).status, 401)
})

test('names that no file can have, unknown bodies, and more than a repository may keep are refused', async () => {
  const job = await startJob(app, ada, { name: 'bounds' })
  const devices = ['CON', 'nul', 'Aux.txt', 'prn.', 'COM1', 'lpt9.tar.gz']
  const shapes = [
    '',
    '.',
    '..',
    '../a',
    'a/b',
    'a\\b',
    'C:',
    'a:b',
    'a*',
    'a?',
    'a\nb',
    'a\0',
    'a.',
    'a ',
    'a..',
  ]
  for (const name of [...devices, ...shapes, 'x'.repeat(256), '\ud800']) {
    assert.equal((await rpc(job, 'CreateArtifact', named(job, name))).status, 400, name)
    const v3 = await call(FILES, { as: job.as, params: { run: job.run }, body: { Name: name } })
    assert.equal(v3.status, 400, `v3: ${name}`)
  }
  for (const name of ['console', 'com', 'com10', 'null', '.hidden', ' a', 'ä'.repeat(255)])
    assert.equal((await rpc(job, 'CreateArtifact', named(job, name))).status, 200, name)
  for (const method of [
    'CreateArtifact',
    'FinalizeArtifact',
    'ListArtifacts',
    'GetSignedArtifactURL',
    'DeleteArtifact',
  ])
    assert.equal((await rpc(job, method, { name: 'x' })).status, 400, method)
  assert.equal((await rpc(job, 'CreateArtifact', { ...named(job, 'x'), expires_at: 'soon' })).status, 400)
  const address = await begin(job, 'x'.repeat(255))
  assert.equal(await put(address, { comp: 'block', blockid: 'a' }, 'x'.repeat(600)), 201)
  assert.equal(await put(address, { comp: 'block', blockid: 'b' }, 'x'.repeat(600)), 413)
  assert.equal(await put(await begin(job, 'other'), {}, 'x'.repeat(401)), 413)
  assert.equal(await put(await begin(job, 'other'), {}, 'x'.repeat(400)), 201)
})

test('a run has at most 1,000 artifacts, of both kinds together', async () => {
  const job = await startJob(app, ada, { name: 'many' })
  const fill = (first: number, last: number) => pool`
    insert into forge.action_artifact (repository_id, run_id, attempt, task_id, name, media_type, size, expires_at, created_at, updated_at)
    select ${job.repository.id}, ${job.run}, 1, task.id, number::text, case when number % 2 = 0 then 'text/plain' end, 0,
      now() + interval '1 day', now(), now()
    from forge.action_task as task, generate_series(${first}::int, ${last}::int) as number
    where task.job_id = ${job.job}`
  await fill(1, 999)
  assert.equal((await rpc(job, 'CreateArtifact', named(job, 'last'))).status, 200)
  const { status, body } = await rpc(job, 'CreateArtifact', named(job, 'more'))
  assert.deepEqual([status, body.msg], [409, 'a run has at most 1000 artifacts'])
  const refused = await call(FILES, { as: job.as, params: { run: job.run }, body: { Name: 'more' } })
  assert.equal(refused.status, 409)
  assert.equal((await names(job)).length, 499)
  const listed = await call('GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}/artifacts', {
    as: ada,
    params: { owner: 'ada', repo: 'many', run: job.run },
    query: { limit: 10_000 },
  })
  assert.deepEqual([listed.body.total_count, listed.body.artifacts.length], [999, 50])
})

test('a token of an earlier attempt of a run is refused, and artifacts of both attempts have one name', async () => {
  const job = await startJob(app, ada, { name: 'attempts' })
  await upload(job, 'dist', 'first')
  await job.end()
  const params = { owner: 'ada', repo: 'attempts', run: job.run }
  const again = await call('POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/rerun', { as: ada, params })
  assert.equal(again.status, 201)
  const next = await fetchJob(app, job)
  assert.equal((await rpc(job, 'CreateArtifact', named(job, 'late'))).status, 401)
  assert.equal((await download(next, 'dist')).text, 'first')
  await upload(next, 'dist', 'second')
  assert.equal((await download(next, 'dist')).text, 'second')
  assert.deepEqual(await names(next), ['dist'])
})

test('cleanup_artifacts removes what has expired and what was never completed', async () => {
  const job = await startJob(app, ada, { name: 'expiry', jobs: 2 })
  await begin(job, 'abandoned')
  const soon = new Date(clock.now().getTime() + 86_400_000).toISOString()
  const address = await begin(job, 'soon', { expires_at: soon })
  await put(address, {}, 'x')
  await rpc(job, 'FinalizeArtifact', { ...named(job, 'soon'), size: '1' })
  await upload(job, 'later', 'x')
  await job.end()
  const kept = async () => {
    const rows = await pool<{ name: string }[]>`
      select name from forge.action_artifact where run_id = ${job.run} order by name`
    return rows.map(({ name }) => name)
  }
  const isRunning = async () => {
    const rows =
      await pool`select from forge.cron_task where name = 'cleanup_artifacts' and claim is not null`
    return rows.length > 0
  }
  const clean = async (left: readonly string[]) => {
    await call('POST /api/v1/admin/cron/{task}', { as: boss, params: { task: 'cleanup_artifacts' } })
    await until('the task has run', async () => !(await isRunning()))
    assert.deepEqual(await kept(), left)
  }
  await clean(['abandoned', 'later', 'soon'])
  clock.tick(86_400_001)
  await clean(['later'])
  clock.tick(90 * 86_400_000)
  await clean([])
})
