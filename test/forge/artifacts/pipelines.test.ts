import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startApp } from '../../support/app.ts'
import { fetchJob, type RunningJob, startJob } from '../../support/forge/running-job.ts'
import { filesOf } from '../../support/forge/zip.ts'

const app = await startApp()
const { call, make } = app
const ada = await make.person({ name: 'ada' })
const base = '/api/actions_pipeline/_apis/pipelines/workflows/{run}/artifacts'

const reached = (address: string) => new URL(address.replace('https://forgehall.example', app.url))
const at = ({ run, as }: RunningJob) => ({ as, params: { run } })

async function begin(job: RunningJob, name: string): Promise<string> {
  const { status, body } = await call(`POST ${base}`, {
    ...at(job),
    body: { Type: 'actions_storage', Name: name, RetentionDays: 5 },
  })
  assert.equal(status, 200)
  return body.fileContainerResourceUrl
}

/** Sends a piece of a file, as the older client of the public actions does. */
async function put(
  job: RunningJob,
  address: string,
  {
    path,
    bytes,
    headers = {},
  }: { path: string; bytes: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
) {
  const url = reached(address)
  url.searchParams.set('itemPath', path)
  const { status } = await fetch(url, { method: 'PUT', body: bytes, headers: { ...job.as, ...headers } })
  return status
}

const complete = (job: RunningJob, name: string) =>
  call(`PATCH ${base}`, { ...at(job), query: { artifactName: name }, body: { Size: 1 } })

const range = (first: number, last: number, of: number | string) => ({
  'content-range': `bytes ${first}-${last}/${of}`,
})

async function filesIn(job: RunningJob, name: string): Promise<Record<string, string>> {
  const { body: list } = await call(`GET ${base}`, at(job))
  const one = list.value.find((each: { name: string }) => each.name === name)
  const files = await (await fetch(reached(one.fileContainerResourceUrl), { headers: job.as })).json()
  const contents: Record<string, string> = {}
  for (const { path, itemType, contentLocation } of files.value) {
    assert.equal(itemType, 'file')
    contents[path] = await (await fetch(reached(contentLocation), { headers: job.as })).text()
  }
  return contents
}

test(`PUT ${base}/{key}/upload takes files in pieces, compressed or not, from several jobs`, async () => {
  const job = await startJob(app, ada, { name: 'pieces', jobs: 2 })
  const address = await begin(job, 'dist')
  const packed = Uint8Array.from(gzipSync('packed '.repeat(100)))
  assert.equal(await put(job, address, { path: 'dist/b.txt', bytes: 'two', headers: range(3, 5, 6) }), 200)
  const early = await complete(job, 'dist')
  assert.deepEqual([early.status, early.body.message], [400, 'pieces of the file b.txt are missing'])
  assert.equal(await put(job, address, { path: 'dist/b.txt', bytes: 'one', headers: range(0, 2, 6) }), 200)
  assert.equal(
    await put(job, address, {
      path: 'dist\\sub\\a.txt',
      bytes: packed,
      headers: { 'content-encoding': 'gzip' },
    }),
    200,
  )
  assert.equal(await put(job, address, { path: 'dist/empty', bytes: '' }), 200)
  assert.equal((await complete(job, 'dist')).status, 200)
  const expected = { 'dist/b.txt': 'onetwo', 'dist/empty': '', 'dist/sub/a.txt': 'packed '.repeat(100) }
  assert.deepEqual(await filesIn(job, 'dist'), expected)
  const next = await fetchJob(app, job)
  assert.equal(
    await put(next, await begin(next, 'dist'), { path: 'dist/c.txt', bytes: 'of another job' }),
    200,
  )
  assert.equal((await complete(next, 'dist')).status, 200)
  assert.deepEqual(await filesIn(job, 'dist'), { ...expected, 'dist/c.txt': 'of another job' })
  const params = { owner: 'ada', repo: 'pieces', run: job.run }
  const { body } = await call('GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}/artifacts', {
    as: ada,
    params,
  })
  const archive = await fetch(
    body.artifacts[0].archive_download_url.replace('https://forgehall.example', app.url),
    {
      headers: { authorization: ada.authorization },
      redirect: 'manual',
    },
  )
  const zip = await fetch(reached(archive.headers.get('location') ?? ''))
  assert.deepEqual(filesOf(Buffer.from(await zip.arrayBuffer())), {
    'b.txt': 'onetwo',
    'c.txt': 'of another job',
    empty: '',
    'sub/a.txt': 'packed '.repeat(100),
  })
})

test(`PUT ${base}/{key}/upload refuses paths that leave the artifact, other checksums and wrong ranges`, async () => {
  const job = await startJob(app, ada, { name: 'refused' })
  const address = await begin(job, 'dist')
  for (const path of ['', 'dist', 'dist/', 'dist/../x', 'dist//x', 'dist/a:b', '../dist/x', 'dist/x\u0000'])
    assert.equal(await put(job, address, { path, bytes: 'x' }), 400, path)
  assert.equal(await put(job, address, { path: 'other/x', bytes: 'x' }), 404)
  for (const headers of [
    range(0, 4, 6),
    { 'content-range': 'bytes x' },
    { 'content-encoding': 'br' },
  ] as const)
    assert.equal(await put(job, address, { path: 'dist/x', bytes: 'x', headers }), 400)
  const md5 = (text: string) => createHash('md5').update(text).digest('base64')
  const checked = (text: string) => ({
    path: 'dist/x',
    bytes: 'x',
    headers: { 'x-actions-results-md5': md5(text) },
  })
  assert.equal(await put(job, address, checked('y')), 400)
  assert.equal(await put(job, address, checked('x')), 200)
  assert.equal((await complete(job, 'none')).status, 404)
  assert.equal((await call(`POST ${base}`, { ...at(job), body: {} })).status, 400)
  const service = '/twirp/github.actions.results.api.v1.ArtifactService'
  const named = { workflow_run_backend_id: String(job.run), name: 'content' }
  const { body } = await call(`POST ${service}/CreateArtifact`, { as: job.as, body: named })
  await fetch(reached(body.signedUploadUrl), { method: 'PUT', body: 'x' })
  await call(`POST ${service}/FinalizeArtifact`, { as: job.as, body: { ...named, size: 1 } })
  assert.equal((await call(`POST ${base}`, { ...at(job), body: { Name: 'content' } })).status, 409)
})

test(`GET ${base} is for running jobs of the run alone`, async () => {
  const job = await startJob(app, ada, { name: 'closed' })
  const address = await begin(job, 'dist')
  await put(job, address, { path: 'dist/x', bytes: 'x' })
  await complete(job, 'dist')
  const stranger = await startJob(app, ada, { repository: job.repository })
  const key = new URL(address).pathname.split('/').at(-2) ?? ''
  const own = await call(`GET ${base}/{key}/download_url`, { as: job.as, params: { run: job.run, key } })
  const [file] = own.body.value
  const content = (headers: Record<string, string>) =>
    fetch(reached(file.contentLocation), { headers: { ...job.as, ...headers } })
  const etag = (await content({})).headers.get('etag') ?? ''
  assert.equal((await content({ 'if-none-match': etag })).status, 304)
  assert.equal((await content({ range: 'bytes=0-0' })).status, 206)
  assert.equal((await content({ range: 'bytes=9-' })).status, 416)
  for (const literal of [
    `POST ${base}`,
    `GET ${base}`,
    `PATCH ${base}`,
    `PUT ${base}/{key}/upload`,
    `GET ${base}/{key}/download_url`,
    `GET ${base}/{key}/download`,
  ]) {
    const params = {
      run: job.run,
      key: literal.endsWith('/download') ? file.contentLocation.split('/').at(-1).split('?')[0] : key,
    }
    const body = literal.startsWith('POST') ? { Name: 'dist' } : undefined
    const sent = {
      params,
      query: { itemPath: 'dist/x', path: 'x', artifactName: 'dist' },
      ...(body && { body }),
    }
    assert.equal((await call(literal, { ...sent, as: stranger.as })).status, 404, literal)
    assert.equal((await call(literal, { ...sent, as: ada })).status, 401, literal)
    assert.equal((await call(literal, sent)).status, 401, literal)
  }
  assert.equal(
    (await call(`GET ${base}/{key}/download_url`, { ...at(job), params: { run: job.run, key: 'x' } })).status,
    404,
  )
  await job.end()
  assert.equal((await call(`GET ${base}`, at(job))).status, 401)
})
