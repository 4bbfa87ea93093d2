import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { beginOn } from '../../../src/db/begin.ts'
import { cleanUpPackages } from '../../../src/forge/blobs/cleanup.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { As } from '../../support/forge/make.ts'
import { until } from '../../support/wait.ts'

const dataDir = join(await temporaryFolder(), 'data')
const limit = 1024 * 1024
const app = await startApp({ DATA_DIR: dataDir, RELEASE_FILE_LIMIT: '1m' })
const { call, pool, make, clock, url } = app
const { blobs } = app.app.tools
const [ada, eve] = await make.people('ada', 'eve')

const ASSETS = '/api/v1/repos/{owner}/{repo}/releases/{id}/assets'
const [LIST, ADD] = [`GET ${ASSETS}`, `POST ${ASSETS}`]
const [GET, EDIT, DELETE] = ['GET', 'PATCH', 'DELETE'].map((method) => `${method} ${ASSETS}/{attachment_id}`)
const DOWNLOAD = 'GET /{owner}/{repo}/releases/download/{tag}/{name}'
const BY_UUID = 'GET /attachments/{uuid}'

let made = 0
/** A release of a new repository of ada. */
async function release(more: { private?: boolean; draft?: boolean } = {}) {
  const repo = `r${++made}`
  const body = { name: repo, auto_init: true, private: more.private ?? false }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  const created = await call('POST /api/v1/repos/{owner}/{repo}/releases', {
    as: ada,
    params: { owner: 'ada', repo },
    body: { tag_name: 'v1', draft: more.draft ?? false },
  })
  return { owner: 'ada', repo, id: Number(created.body.id) }
}
type Place = Awaited<ReturnType<typeof release>>

const pathOf = ({ repo, id }: Place, query = '') => `/api/v1/repos/ada/${repo}/releases/${id}/assets${query}`

/** Sends a body of any type. */
async function send(
  place: Place,
  {
    query = '',
    body,
    type,
    as = ada,
  }: { query?: string; body: Buffer | FormData | string; type?: string; as?: As },
) {
  const answered = await fetch(url + pathOf(place, query), {
    method: 'POST',
    headers: { authorization: as.authorization, ...(type !== undefined && { 'content-type': type }) },
    body: typeof body === 'string' || body instanceof FormData ? body : new Uint8Array(body),
  })
  return { status: answered.status, body: JSON.parse(await answered.text()) }
}
const raw = (place: Place, name: string, body: Buffer | string = 'content', as: As = ada) =>
  send(place, { query: `?name=${encodeURIComponent(name)}`, body, type: 'application/octet-stream', as })

function formOf(
  name: string,
  bytes: Buffer | string,
  fields: Record<string, string> = {},
  part = 'attachment',
) {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set(part, new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name)
  return form
}

const listed = async (place: Place, as: As | undefined = ada) =>
  (await call(LIST, { ...(as && { as }), params: place })).body
const namesIn = async (place: Place) => (await listed(place)).map(({ name }: { name: string }) => name)
const halfTaken = () => readdir(join(dataDir, 'packages', '.temporary')).catch(() => [])
const cleanUp = () =>
  cleanUpPackages(blobs, {
    sql: pool,
    begin: beginOn(pool, clock.now),
    now: clock.now(),
    signal: AbortSignal.timeout(60_000),
  })
const stored = async () => {
  const names: string[] = []
  for await (const name of blobs.names()) names.push(name)
  return names.length
}
/** What a download is, at the address that the API gives. */
const fetched = async (address: string, headers: Record<string, string> = {}) => {
  const answered = await fetch(address.replace('https://forgehall.example', url), { headers })
  return { status: answered.status, headers: answered.headers, text: await answered.text() }
}

test(`${ADD} accepts a form and a raw body; downloads send the same bytes and are counted`, async () => {
  const place = await release()
  const bytes = randomBytes(300_000)
  const first = await send(place, { body: formOf('tool.bin', bytes) })
  assert.equal(first.status, 201)
  const { id, uuid, created_at, ...rest } = first.body
  assert.deepEqual(rest, {
    name: 'tool.bin',
    size: 300_000,
    download_count: 0,
    browser_download_url: `https://forgehall.example/ada/${place.repo}/releases/download/v1/tool.bin`,
  })
  const second = await raw(place, 'größe 1.txt', 'small')
  assert.deepEqual([second.status, second.body.name, second.body.size], [201, 'größe 1.txt', 5])
  assert.deepEqual(await listed(place, undefined), [first.body, second.body])
  assert.deepEqual((await call(GET ?? '', { params: { ...place, attachment_id: id } })).body, first.body)
  const whole = await fetch(`${url}/ada/${place.repo}/releases/download/V1/tool.bin`)
  assert.ok(Buffer.from(await whole.arrayBuffer()).equals(bytes))
  assert.equal(whole.headers.get('etag'), `"${uuid}"`)
  const part = await fetched(second.body.browser_download_url, { range: 'bytes=1-2' })
  assert.deepEqual([part.status, part.text], [206, 'ma'])
  const latest = await fetched(`${url}/ada/${place.repo}/releases/download/latest/gr%C3%B6%C3%9Fe%201.txt`)
  assert.deepEqual([latest.status, latest.text], [200, 'small'])
  assert.equal(
    (await fetched(second.body.browser_download_url, { 'if-none-match': latest.headers.get('etag') ?? '' }))
      .status,
    304,
  )
  assert.deepEqual(
    (await listed(place)).map(({ download_count }: { download_count: number }) => download_count),
    [1, 3],
  )
  assert.equal((await fetched(`${url}/ada/${place.repo}/releases/download/v1/none`)).status, 404)
})

test(`${ADD} prefers the name of the query to that of a field to that of the file, and accepts equal names`, async () => {
  const place = await release()
  await send(place, { query: '?name=query', body: formOf('file', 'a', { name: 'field' }) })
  await send(place, { body: formOf('file', 'b', { name: 'field' }) })
  await send(place, { body: formOf('a/b/file', 'c', { other: 'x' }) })
  await send(place, { body: formOf('file', 'd') })
  assert.deepEqual(await namesIn(place), ['query', 'field', 'file', 'file'])
  assert.equal((await fetched(`${url}/ada/${place.repo}/releases/download/v1/file`)).text, 'd')
  const addresses = (await listed(place)).map(
    (each: { browser_download_url: string }) => each.browser_download_url,
  )
  assert.match(addresses[2], /\/attachments\/[\da-f-]{36}$/, 'the name leads to the later file')
  assert.match(addresses[3], /\/releases\/download\/v1\/file$/)
  for (const [at, text] of ['a', 'b', 'c', 'd'].entries())
    assert.equal((await fetched(addresses[at])).text, text)
})

test('browser_download_url ends in the name of the file, and leads to it, in every answer', async () => {
  const releases = '/api/v1/repos/{owner}/{repo}/releases'
  for (const tag of ['v1.0', 'lib/v1', 'größe-1', '100%', 'a#b', 'latest']) {
    const place = await release()
    const path = { params: place, as: ada }
    const edited = await call(`PATCH ${releases}/{id}`, { ...path, body: { tag_name: tag } })
    assert.equal(edited.status, 200, tag)
    for (const name of ['tool.bin', 'größe 1.txt', 'a%2fb?c#d', 'ünï "q" +&;.txt']) {
      const added = await raw(place, name, `${tag} ${name}`)
      const file = { ...place, attachment_id: added.body.id }
      const same = { params: { ...place, tag }, as: ada }
      const ofRelease = async (literal: string) => (await call(literal, same)).body.assets[0]
      const answers = [
        added.body,
        (await listed(place))[0],
        (await call(GET ?? '', { params: file })).body,
        await ofRelease(`GET ${releases}/{id}`),
        await ofRelease(`GET ${releases}/latest`),
        await ofRelease(`GET ${releases}/tags/{tag}`),
        (await call(`GET ${releases}`, same)).body[0].assets[0],
        (await call(EDIT ?? '', { params: file, as: ada, body: { name } })).body,
      ]
      for (const { browser_download_url: address } of answers) {
        assert.equal(decodeURIComponent(new URL(address).pathname.split('/').at(-1) ?? ''), name)
        assert.deepEqual([tag, (await fetched(address)).text], [tag, `${tag} ${name}`])
      }
      assert.equal((await call(DELETE ?? '', { params: file, as: ada })).status, 204)
    }
  }
})

test(`${ADD} takes files of 0 bytes and of the largest size, and no larger ones`, async () => {
  const place = await release()
  const largest = randomBytes(limit)
  for (const [size, status] of [
    [0, 201],
    [limit, 201],
    [limit + 1, 413],
  ] as const) {
    const body = size > limit ? Buffer.concat([largest, Buffer.alloc(1)]) : largest.subarray(0, size)
    for (const answered of [await raw(place, 'f', body), await send(place, { body: formOf('f', body) })]) {
      assert.equal(answered.status, status)
      if (status === 413) assert.equal(answered.body.message, `attachment exceeds limit ${limit}`)
      else assert.equal(answered.body.size, size)
    }
  }
  assert.equal((await listed(place)).length, 4)
  const [empty] = await listed(place)
  assert.deepEqual([(await fetched(empty.browser_download_url)).text, await halfTaken()], ['', []])
})

test(`${ADD} refuses files without a name, with names of other folders, and invalid forms`, async () => {
  const place = await release()
  const multipart = (text: string) => ({ body: text, type: 'multipart/form-data; boundary=x' })
  const head = (disposition: string) => `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const cases = [
    [{ body: 'x', type: 'text/plain' }, 400],
    [{ ...multipart(`${head('name="attachment"')}x\r\n--x--`) }, 400],
    [{ body: formOf('f', 'x', {}, 'other') }, 400],
    [{ ...multipart('nothing') }, 400],
    [{ ...multipart(`${head('name="attachment"; filename="f"')}x`) }, 400],
    [{ ...multipart(`${head('name="attachment"; filename="f"')}x\r\n--x\r\n`) }, 400],
    [
      {
        ...multipart(
          `${head('name="attachment"; filename="f"')}x\r\n${head('name="attachment"; filename="g"')}y\r\n--x--`,
        ),
      },
      400,
    ],
    [{ ...multipart(`--x\r\n${'a'.repeat(20_000)}`) }, 400],
    [{ ...multipart(`${head('name="name"')}${'a'.repeat(5_000)}\r\n--x--`) }, 400],
    [{ ...multipart(`--x junk\r\n`) }, 400],
    [{ ...multipart(`${head('name="a"')}1\r\n`.repeat(101)) }, 400],
    ...['..', 'a/b', 'a\\b', 'a\nb', 'a\0b', 'x'.repeat(256)].map(
      (name) => [{ query: `?name=${encodeURIComponent(name)}`, body: 'x', type: 'text/plain' }, 422] as const,
    ),
  ] as const
  for (const [given, status] of cases) {
    const answered = await send(place, given)
    assert.equal(answered.status, status, JSON.stringify([given, answered.body]).slice(0, 200))
  }
  assert.deepEqual([await listed(place), await halfTaken()], [[], []])
})

test(`${ADD} leaves nothing behind of a file that is cut off or shorter than announced`, async () => {
  const place = await release()
  const before = await stored()
  for (const type of ['application/octet-stream', 'multipart/form-data; boundary=x']) {
    const req = request(url + pathOf(place, '?name=f'), {
      method: 'POST',
      headers: { authorization: ada.authorization, 'content-type': type, 'content-length': 100_000 },
    })
    req.on('error', () => {})
    req.write('--x\r\nContent-Disposition: form-data; name="attachment"; filename="f"\r\n\r\nabc')
    await until('the file is arriving', async () => (await halfTaken()).length > 0)
    req.destroy()
    await until('the file is dropped', async () => (await halfTaken()).length === 0)
  }
  assert.deepEqual([await listed(place), await stored()], [[], before])
})

test(`${ADD} of two files at once keeps both, and equal contents once`, async () => {
  const place = await release()
  const before = await stored()
  const same = randomBytes(50_000)
  const answers = await Promise.all([
    raw(place, 'a', same),
    raw(place, 'b', same),
    send(place, { body: formOf('c', randomBytes(50_000)) }),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  )
  assert.deepEqual([(await namesIn(place)).toSorted(), await stored()], [['a', 'b', 'c'], before + 2])
})

test('a content stays while a file of a release or a package uses it, and is then removed', async () => {
  const place = await release()
  await cleanUp()
  const before = await stored()
  const bytes = randomBytes(1_000)
  const { body: one } = await raw(place, 'a', bytes)
  await raw(place, 'b', bytes)
  const address = `${url}/api/packages/ada/generic/p/1/f`
  const authorization = { authorization: ada.authorization }
  await fetch(address, { method: 'PUT', headers: authorization, body: new Uint8Array(bytes) })
  assert.equal(await stored(), before + 1)
  await fetch(address, { method: 'DELETE', headers: authorization })
  const gone = { as: ada, params: { ...place, attachment_id: one.id } }
  assert.equal((await call(DELETE ?? '', gone)).status, 204)
  assert.equal((await call(DELETE ?? '', gone)).status, 404)
  assert.deepEqual([await cleanUp(), await stored()], [{ unused: 0, unknown: 0 }, before + 1])
  const deletion = 'DELETE /api/v1/repos/{owner}/{repo}/releases/{id}'
  assert.equal((await call(deletion, { as: ada, params: place })).status, 204)
  assert.deepEqual([await cleanUp(), await stored()], [{ unused: 1, unknown: 0 }, before])
  assert.equal((await fetched(one.browser_download_url)).status, 404)
})

test(`${EDIT} renames a file`, async () => {
  const place = await release()
  const { body } = await raw(place, 'a')
  const params = { ...place, attachment_id: body.id }
  const renamed = await call(EDIT ?? '', { as: ada, params, body: { name: 'b' } })
  assert.deepEqual(
    [renamed.status, renamed.body],
    [201, { ...body, name: 'b', browser_download_url: body.browser_download_url.replace(/a$/, 'b') }],
  )
  assert.equal((await call(EDIT ?? '', { as: ada, params, body: {} })).body.name, 'b')
  assert.equal((await call(EDIT ?? '', { as: ada, params, body: { name: 'a/b' } })).status, 422)
  const missing = { ...place, attachment_id: 999_999 }
  assert.equal((await call(EDIT ?? '', { as: ada, params: missing, body: { name: 'b' } })).status, 404)
  const other = { ...(await release()), attachment_id: body.id }
  assert.equal((await call(GET ?? '', { as: ada, params: other })).status, 404, 'of another release')
  assert.deepEqual(await namesIn(place), ['b'])
})

test('changing files requires write access to releases, and no archived repository', async () => {
  const place = await release()
  const { body } = await raw(place, 'a')
  const params = { ...place, attachment_id: body.id }
  assert.equal((await raw(place, 'b', 'x', eve)).status, 403)
  assert.equal((await call(EDIT ?? '', { as: eve, params, body: { name: 'b' } })).status, 403)
  assert.equal((await call(DELETE ?? '', { as: eve, params })).status, 403)
  assert.equal((await call(DELETE ?? '', { params })).status, 401)
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: place.repo },
    body: { archived: true },
  })
  assert.equal((await raw(place, 'b')).status, 423)
  assert.equal((await call(EDIT ?? '', { as: ada, params, body: { name: 'b' } })).status, 423)
  assert.equal((await call(DELETE ?? '', { as: ada, params })).status, 423)
  assert.deepEqual(await namesIn(place), ['a'])
})

test(`${BY_UUID} and ${DOWNLOAD} show files of private repositories and of drafts to callers who may see these`, async () => {
  for (const [more, seenByEve] of [
    [{ private: true }, 404],
    [{ draft: true }, 404],
    [{}, 200],
  ] as const) {
    const place = await release(more)
    const { body } = await raw(place, 'a')
    for (const address of [body.browser_download_url, `${url}/ada/${place.repo}/releases/download/v1/a`]) {
      assert.equal((await fetched(address, { authorization: eve.authorization })).status, seenByEve, address)
      assert.equal((await fetched(address)).status, seenByEve, address)
      assert.equal((await fetched(address, { authorization: ada.authorization })).text, 'content', address)
    }
  }
  for (const uuid of ['x', '00000000-0000-4000-8000-000000000000'])
    assert.equal((await fetched(`${url}/attachments/${uuid}`)).status, 404)
})
