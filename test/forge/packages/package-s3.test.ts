import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { defaultPatience, S3Client } from '../../../src/blobs/s3/client.ts'
import { s3Counts } from '../../../src/blobs/s3/watch.ts'
import { beginOn } from '../../../src/db/begin.ts'
import { cleanUpPackages } from '../../../src/forge/blobs/cleanup.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { openStore } from '../../support/processes/s3.ts'

const { line, environment, settings } = await openStore()
const dataDir = join(await temporaryFolder(), 'data')
const app = await startApp({ DATA_DIR: dataDir, ...environment })
const { pool, url, log, clock, make } = app
const { blobs } = app.app.tools
const ada = await make.person({ name: 'ada' })

const send = (
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) =>
  fetch(`${url}/api/packages/ada/generic/${path}`, {
    method,
    headers: { authorization: ada.authorization, ...headers },
    ...(body !== undefined && { body }),
  })
const outcomeOf = async (response: Promise<Response>) => {
  const { status, headers } = await response
  await (await response).arrayBuffer()
  return [status, headers.get('retry-after')]
}
const count = async (table: string) =>
  (await pool<[{ count: number }]>`select count(*) from ${pool(`forge.${table}`)}`)[0].count
const stored = async () => {
  const names: string[] = []
  for await (const name of blobs.names()) names.push(name)
  return names
}
const cleanUp = () =>
  cleanUpPackages(blobs, {
    sql: pool,
    begin: beginOn(pool, clock.now),
    now: clock.now(),
    signal: AbortSignal.timeout(60_000),
  })

test('PUT and GET /{owner}/generic/{package}/{version}/{file} use the store, whole, in parts and for HEAD', async () => {
  const bytes = new Uint8Array(randomBytes(1_000_000))
  assert.equal((await send('PUT', 'a/1/f', bytes)).status, 201)
  assert.deepEqual(await stored(), [createHash('sha256').update(bytes).digest('hex')])
  assert.deepEqual(
    await readdir(join(dataDir, 'packages', '.temporary')),
    [],
    'nothing stays on this machine',
  )
  const whole = await send('GET', 'a/1/f')
  assert.deepEqual(new Uint8Array(await whole.arrayBuffer()), bytes)
  const part = await send('GET', 'a/1/f', undefined, { range: 'bytes=999000-' })
  assert.equal(part.status, 206)
  assert.equal(part.headers.get('content-range'), 'bytes 999000-999999/1000000')
  assert.deepEqual(new Uint8Array(await part.arrayBuffer()), bytes.subarray(999_000))
  const beyond = await send('GET', 'a/1/f', undefined, { range: 'bytes=1000000-' })
  assert.equal(beyond.status, 416)
  const head = await send('HEAD', 'a/1/f')
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, '1000000'])
  const known = await send('GET', 'a/1/f', undefined, { 'if-none-match': whole.headers.get('etag') ?? '' })
  assert.equal(known.status, 304)
  assert.equal((await send('PUT', 'a/1/empty', '')).status, 201)
  assert.equal((await (await send('GET', 'a/1/empty')).arrayBuffer()).byteLength, 0)
})

test('a store that is down is a 503 with Retry-After, writes no row, and is used again when it is back', async () => {
  await send('PUT', 'b/1/f', 'kept')
  const before = await count('package_file')
  await line.cut()
  const failedBefore = s3Counts.get('head')?.outcomes.get('away') ?? 0
  assert.deepEqual(await outcomeOf(send('PUT', 'b/2/f', 'new', { 'x-request-id': 'upload' })), [503, '5'])
  assert.deepEqual(await outcomeOf(send('GET', 'b/1/f', undefined, { 'x-request-id': 'download' })), [
    503,
    '5',
  ])
  const failures = log.lines().filter(({ message }) => message === 'a request to the store failed')
  assert.deepEqual(
    failures.map(({ id, operation, outcome }) => [id, operation, outcome]),
    [...new Array(3).fill(['upload', 'head', 'away']), ...new Array(3).fill(['download', 'get', 'away'])],
  )
  assert.equal(s3Counts.get('head')?.outcomes.get('away'), failedBefore + 3)
  assert.equal(await count('package_file'), before)
  assert.deepEqual(await readdir(join(dataDir, 'packages', '.temporary')), [])
  const lines = log.lines().filter(({ message }) => message === 'the store of files cannot be reached')
  assert.equal(lines.length, 2)
  assert.match(String(lines[0]?.error), /^HEAD http.*ECONNREFUSED/)
  assert.doesNotMatch(JSON.stringify(log.lines()), /Signature=/)
  await line.mend()
  assert.equal(await (await send('GET', 'b/1/f')).text(), 'kept')
  assert.equal((await send('PUT', 'b/2/f', 'new')).status, 201)
})

test('a content that is missing in the store is a 404', async () => {
  await send('PUT', 'c/1/f', 'to be lost')
  await blobs.remove(createHash('sha256').update('to be lost').digest('hex'))
  for (const method of ['GET', 'HEAD']) {
    const answer = await send(method, 'c/1/f')
    assert.equal(answer.status, 404)
    assert.equal(answer.headers.get('etag'), null)
    await answer.arrayBuffer()
  }
})

test('a content without a row stays for a day, for it may be an upload in progress, and is then removed', async () => {
  const upload = await blobs.startUpload()
  await upload.write(Buffer.from('nobody knows'))
  const complete = await upload.finish()
  await blobs.prepare(complete)
  await upload.discard()
  clock.tick(Date.now() - clock.now().getTime())
  assert.equal((await cleanUp()).unknown, 0)
  assert.equal(await blobs.has(complete.digests.sha256), true)
  clock.tick(2 * 24 * 3_600_000)
  assert.equal((await cleanUp()).unknown, 1)
  assert.equal(await blobs.has(complete.digests.sha256), false)
  assert.equal(await (await send('GET', 'b/1/f')).text(), 'kept')
})

test('a clean-up touches no store that belongs to another database', async () => {
  const [own] = await pool`select id from forgehall.content_store`
  assert.equal(await blobs.claim?.('of another database'), own?.id)
  await pool`update forgehall.content_store set id = 'of another database'`
  await assert.rejects(cleanUp(), /the S3 store belongs to another database/)
  await pool`update forgehall.content_store set id = ${own?.id}`
  await cleanUp()
})

test('a content that a clean-up removes before its row is there is stored again', async () => {
  const { forRequest } = blobs
  let removals = 0
  const prepare: typeof blobs.prepare = async (upload) => {
    await blobs.prepare(upload)
    if (removals++ === 0) await blobs.remove(upload.digests.sha256)
  }
  blobs.forRequest = (id) => ({ ...forRequest(id), prepare })
  try {
    assert.equal((await send('PUT', 'd/1/f', 'swept')).status, 201)
    assert.equal(removals, 2)
    assert.equal(await (await send('GET', 'd/1/f')).text(), 'swept')
  } finally {
    blobs.forRequest = forRequest
  }
})

test('GET /{owner}/generic/{package}/{version}/{file} does not complete an answer in which the store sends other bytes', async () => {
  const client = new S3Client(settings, defaultPatience)
  for (const [file, size] of [
    ['small', 10],
    ['large', 3_000_000],
  ] as const) {
    const bytes = new Uint8Array(randomBytes(size))
    assert.equal((await send('PUT', `damaged/1/${file}`, bytes)).status, 201)
    const name = createHash('sha256').update(bytes).digest('hex')
    const put = (content: Uint8Array) =>
      client.put(`packages/${name.slice(0, 2)}/${name}`, {
        size: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
        open: () => Readable.from([Buffer.from(content)]),
      })
    const flipped = bytes.with(size - 1, (bytes.at(-1) ?? 0) ^ 1)
    for (const other of [flipped, bytes.subarray(0, -1), new Uint8Array([...bytes, 1])]) {
      await put(other)
      const got = await send('GET', `damaged/1/${file}`)
        .then(async (response) => (response.ok ? response.arrayBuffer() : response.status))
        .catch(() => 'broken off')
      assert.equal(got, other === flipped ? 'broken off' : 503, `${file} of ${other.length} bytes`)
    }
    const range = await send('GET', `damaged/1/${file}`, undefined, { range: 'bytes=0-4' })
    assert.equal(range.status, 503, 'the store has another size')
    await put(bytes)
    assert.deepEqual(new Uint8Array(await (await send('GET', `damaged/1/${file}`)).arrayBuffer()), bytes)
  }
  client.close()
  const lines = log
    .lines()
    .filter((each) => JSON.stringify(each).includes('is damaged: it has another checksum'))
  assert.equal(lines.length, 2, 'the log says why')
})
