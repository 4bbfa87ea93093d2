import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, utimes } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { type Blobs, ContentLost } from '../../src/blobs/blobs.ts'
import { defaultPatience, type Patience, S3Client } from '../../src/blobs/s3/client.ts'
import { createS3 } from '../../src/blobs/s3/s3.ts'
import { parseS3Url, type S3Settings } from '../../src/blobs/s3/settings.ts'
import { s3Counts } from '../../src/blobs/s3/watch.ts'
import { StoreError } from '../../src/blobs/store-error.ts'
import { createLog } from '../../src/log.ts'
import { distrusted } from '../support/distrusted.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openStore } from '../support/processes/s3.ts'
import { keepLines } from '../support/sink.ts'
import { turns } from '../support/wait.ts'

const store = await openStore()
const { line, settings } = store
const quick: Patience = { silence: 200, uploadSilence: 200, attempts: 2 }

async function open(own: Partial<S3Settings> = {}, patience?: Patience) {
  const spool = join(await temporaryFolder(), 'spool')
  const blobs = createS3({ ...settings, ...own }, spool, { patience })
  after(() => blobs.close())
  return { blobs, spool }
}

async function uploaded(blobs: Blobs, bytes: string | Buffer) {
  const upload = await blobs.startUpload()
  await upload.write(Buffer.from(bytes))
  return upload.finish()
}

async function stored(blobs: Blobs, bytes: string | Buffer): Promise<string> {
  const made = await uploaded(blobs, bytes)
  await blobs.prepare(made)
  await blobs.place(made)
  return made.digests.sha256
}

async function namesOf(names: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const name of names) all.push(name)
  return all.sort()
}

const isFault =
  (kind: StoreError['kind'], message = /./) =>
  (error: unknown) =>
    error instanceof StoreError && error.kind === kind && message.test(error.message)

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

test('a content in a store is read whole and in parts, once it is prepared', async () => {
  const { blobs, spool } = await open()
  const made = await uploaded(blobs, 'one two')
  const name = made.digests.sha256
  assert.equal(await blobs.read(name), undefined)
  assert.equal(await blobs.has(name), false)
  await assert.rejects(blobs.place(made), ContentLost)
  await blobs.prepare(made)
  await blobs.prepare(made)
  await blobs.place(made)
  const whole = await blobs.read(name)
  assert.equal(whole?.size, 7)
  assert.equal(await text(whole.stream), 'one two')
  const part = await blobs.read(name, { first: 4, last: 6 })
  assert.equal(part?.size, 3)
  assert.equal(await text(part.stream), 'two')
  assert.equal(await blobs.has(name), true)
  assert.equal((await readdir(spool)).length, 1)
  const [file = ''] = await readdir(spool)
  assert.equal(join(spool, file), made.path)
  await blobs.remove(name)
  await blobs.remove(name)
  assert.equal(await blobs.has(name), false)
})

test('an empty content and one of several megabytes are stored as they are', async () => {
  const { blobs } = await open()
  const bytes = randomBytes(5_000_000)
  for (const each of [Buffer.alloc(0), bytes]) {
    const found = await blobs.read(await stored(blobs, each))
    assert.ok(found)
    assert.deepEqual(await buffer(found.stream), each)
  }
  for (const name of await namesOf(blobs.names())) await blobs.remove(name)
})

test('a list names all contents, over several pages, and only those older than a time if requested', async () => {
  const { blobs } = await open()
  const expected = await Promise.all(Array.from({ length: 7 }, (_, at) => stored(blobs, `content ${at}`)))
  const client = new S3Client(settings, defaultPatience)
  const keys: string[] = []
  for await (const { key } of client.list('packages/', 3)) keys.push(key.slice(-64))
  client.close()
  assert.deepEqual(keys.toSorted(), expected.toSorted())
  assert.deepEqual(await namesOf(blobs.names()), expected.toSorted())
  assert.deepEqual(await namesOf(blobs.settledNames(new Date(Date.now() - 3_600_000))), [])
  assert.deepEqual(await namesOf(blobs.settledNames(new Date(Date.now() + 3_600_000))), expected.toSorted())
  await blobs.check('write')
  assert.deepEqual(await namesOf(blobs.names()), expected.toSorted(), 'the check leaves nothing that counts')
})

test('what a crash has left in the spool is removed a day later, by the next upload', async () => {
  const { blobs, spool } = await open()
  const old = await uploaded(blobs, 'old')
  await utimes(old.path, new Date('2026-01-01'), new Date('2026-01-01'))
  const again = createS3(settings, spool)
  after(() => again.close())
  await uploaded(again, 'new')
  assert.equal((await readdir(spool)).length, 1)
})

test('a store that refuses differs from one that cannot be reached, and no error contains a secret', async () => {
  const secret = 'a secret that nobody may see'
  const wrongKey = (await open({ secretAccessKey: secret })).blobs
  const wrongBucket = (await open({ bucketUrl: settings.bucketUrl.replace(/[^/]+$/, 'another') })).blobs
  for (const blobs of [wrongKey, wrongBucket]) {
    const made = await uploaded(blobs, 'x')
    for (const act of [() => blobs.check('read'), () => blobs.check('write'), () => blobs.prepare(made)]) {
      await assert.rejects(act, (error: Error) => {
        assert.ok(isFault('denied')(error), error.message)
        assert.doesNotMatch(error.message, new RegExp(`${secret}|Signature=`))
        return true
      })
    }
  }
  await assert.rejects(wrongKey.check('read'), isFault('denied', /403 SignatureDoesNotMatch/))
  await assert.rejects(wrongBucket.check('read'), isFault('denied', /404 NoSuchBucket/))
})

test('a store that is down, closes connections or does not answer fails within bounds, and is used again when it is back', async () => {
  const { blobs } = await open({}, quick)
  const name = await stored(blobs, 'kept')
  const made = await uploaded(blobs, 'later')
  await line.cut()
  for (const act of [() => blobs.read(name), () => blobs.prepare(made), () => blobs.check('read')])
    await assert.rejects(act, isFault('away', /ECONNREFUSED/))
  await line.mend()
  line.hangUp()
  await assert.rejects(blobs.has(name), isFault('away'))
  line.carry()
  assert.equal(await blobs.has(name), true)
  line.swallow()
  await assert.rejects(blobs.prepare(made), isFault('away', /no answer within 0.2 s/))
  line.carry()
  await blobs.prepare(made)
  assert.equal(await blobs.has(made.digests.sha256), true)
})

/** A store that answers what a test wants. */
async function fakeStore(answer: RequestListener): Promise<S3Settings> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { ...settings, bucketUrl: `http://127.0.0.1:${port}/bucket`, prefix: '' }
}

test('a slow request is counted with its time, and logged for the request that waited for it', async () => {
  const own = await fakeStore((_, res) => {
    setTimeout(() => res.writeHead(200, { 'content-length': 1 }).end(), 1_010)
  })
  const sink = keepLines()
  const spool = join(await temporaryFolder(), 'spool')
  const blobs = createS3(own, spool, { log: createLog('info', sink) })
  after(() => blobs.close())
  const before = s3Counts.get('head')?.seconds ?? 0
  assert.equal(await blobs.forRequest('who waits').has('a'.repeat(64)), true)
  await turns()
  const [{ time: _, ms, ...line } = {}, ...others] = sink.lines()
  const message = 'slow request to the store'
  assert.deepEqual(line, { level: 'warn', message, id: 'who waits', operation: 'head' })
  assert.ok(Number(ms) >= 1000)
  assert.deepEqual(others, [])
  assert.ok((s3Counts.get('head')?.seconds ?? 0) >= before + 1)
})

test('an interrupted download is continued where it ended, and fails without progress', async () => {
  const bytes = randomBytes(300_000)
  let requests = 0
  let isBroken = false
  const { blobs } = await open(
    await fakeStore((req, res) => {
      requests++
      const from = Number(/bytes=(\d+)-/.exec(req.headers.range ?? '')?.[1] ?? 0)
      if (isBroken) return void req.socket.destroy()
      res.writeHead(req.headers.range === undefined ? 200 : 206, { 'content-length': bytes.length - from })
      res.write(bytes.subarray(from, from + 100_000), () => setImmediate(() => res.end().destroy()))
    }),
    quick,
  )
  const found = await blobs.read(sha256(bytes))
  assert.ok(found)
  assert.deepEqual(await buffer(found.stream), bytes)
  assert.equal(requests, 3)
  const again = await blobs.read(sha256(bytes))
  isBroken = true
  assert.ok(again)
  await assert.rejects(buffer(again.stream), isFault('away'))
})

test('answers of stores are distinguished: busy, full, of another region', async () => {
  let answer = { status: 503, code: 'SlowDown' }
  let requests = 0
  const { blobs } = await open(
    await fakeStore((req, res) => {
      requests++
      req.resume()
      const body = `<Error><Code>${answer.code}</Code><Message>${'so &amp; so '.repeat(99)}</Message></Error>`
      if (req.method === 'HEAD') res.writeHead(404).end()
      else res.writeHead(answer.status, { 'content-length': body.length }).end(body)
    }),
    quick,
  )
  const made = await uploaded(blobs, 'x')
  await assert.rejects(blobs.prepare(made), isFault('away', /^PUT .* 503 SlowDown so & so/))
  assert.equal(requests, 3, 'HEAD, and PUT twice')
  answer = { status: 507, code: 'XMinioStorageFull' }
  await assert.rejects(blobs.prepare(made), isFault('full'))
  answer = { status: 403, code: 'QuotaExceeded' }
  await assert.rejects(blobs.prepare(made), isFault('full'))
  answer = { status: 301, code: 'PermanentRedirect' }
  await assert.rejects(blobs.prepare(made), isFault('denied', /301 PermanentRedirect/))
  answer = { status: 200, code: 'x' }
  await assert.rejects(blobs.check('read'), isFault('denied'))
})

test('a store with an untrusted certificate is an error', async () => {
  const server = createHttpsServer(distrusted, (_, res) => res.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const { blobs } = await open({ bucketUrl: `https://127.0.0.1:${port}/bucket` }, quick)
  await assert.rejects(blobs.check('read'), isFault('denied', /self-signed certificate/))
})

test('a store that repeats a page of a list is an error', async () => {
  const key = `packages/${'ab'.repeat(32).replace(/^(..)/, '$1/$1')}`
  const page = `<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>${key}</Key></Contents></ListBucketResult>`
  const { blobs } = await open(await fakeStore((_, res) => res.end(page)), quick)
  await assert.rejects(namesOf(blobs.names()), isFault('denied', /does not continue a list/))
})

test('S3_URL names the bucket in the path or in the host', () => {
  const read = (text: string) => {
    const parsed = parseS3Url(text)
    return parsed.ok ? [parsed.value.bucketUrl, parsed.value.prefix] : parsed.fault
  }
  assert.deepEqual(read('https://s3.example.org/b'), ['https://s3.example.org/b', ''])
  assert.deepEqual(read('http://127.0.0.1:9000/b/one/two/'), ['http://127.0.0.1:9000/b', 'one/two/'])
  assert.deepEqual(read('https://b.s3.example.org/'), ['https://b.s3.example.org', ''])
  for (const wrong of ['s3://b', 'b', 'https://key:secret@s3.example.org/b', 'https://s3.example.org/b?x'])
    assert.match(String(read(wrong)), /^must be an http/)
  assert.match(String(read('https://s3.example.org/b/a b')), /^must have only/)
})
