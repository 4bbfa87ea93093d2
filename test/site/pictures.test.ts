import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { bearer } from '../support/forge/make.ts'
import { photo } from '../support/forge/photo.ts'
import { dotPicture, pngHead } from '../support/forge/pictures.ts'

const app = await startApp()
const { call, pool, url } = app

/** A form with these parts, in this order. */
function formOf(parts: Readonly<Record<string, string | Buffer>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, new Blob([new Uint8Array(value)], { type: 'image/svg+xml' }), 'lies.svg')
  }
  return form
}

const publisher = bearer(await app.make.token(await app.make.admin(), 'write:misc'))

const send = (parts: Readonly<Record<string, string | Buffer>>, headers: object = publisher, at = url) =>
  fetch(`${at}/api/media/pictures`, { method: 'POST', body: formOf(parts), headers: { ...headers } })
const contents = async () => (await pool`select from forge.site_picture`).count
const pathOf = (address: string) => address.replace('https://forgehall.example', '')

test('POST /api/media/pictures publishes a picture as a media item, which GET /api/media/pictures/{name} sends', async () => {
  const sent = await send({ title: 'Dot', description: 'A <dot>', picture: dotPicture.bytes })
  assert.equal(sent.status, 201)
  const item = JSON.parse(await sent.text())
  assert.deepEqual((await call('GET /api/media')).body, [item])
  assert.deepEqual(Object.keys(item), ['id', 'title', 'media_type', 'url', 'created_at'])
  assert.match(item.url, /^https:\/\/forgehall\.example\/api\/media\/pictures\/[0-9a-f-]{36}\.gif$/)
  const path = pathOf(item.url)
  const got = await fetch(url + path)
  assert.deepEqual(Buffer.from(await got.arrayBuffer()), dotPicture.bytes)
  const header = (name: string) => got.headers.get(name)
  assert.equal(header('content-type'), 'image/gif', 'the type of the bytes, not the one that was sent')
  assert.equal(header('content-length'), String(dotPicture.bytes.length))
  assert.equal(header('cache-control'), 'public, max-age=31536000, immutable')
  assert.match(header('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  assert.equal(header('x-content-type-options'), 'nosniff')
  const etag = header('etag') ?? ''
  assert.equal((await fetch(url + path, { headers: { 'if-none-match': etag } })).status, 304)
  const part = await fetch(url + path, { headers: { range: 'bytes=0-2' } })
  assert.deepEqual([part.status, await part.text()], [206, 'GIF'])
  assert.equal((await fetch(url + path, { headers: { range: 'bytes=9999-' } })).status, 416)
  const overview = await (await fetch(`${url}/overview`)).text()
  assert.match(overview, /alt="A &lt;dot&gt;"/)
  for (const name of ['x', `${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}.png`, '..%2Fx', '%00'])
    assert.equal((await fetch(`${url}/api/media/pictures/${name}`)).status, 404, name)
})

/** The address of the thumbnail of an item. */
const smallOf = (item: { url: string }) =>
  url +
  pathOf(item.url)
    .replace('/pictures/', '/thumbnails/')
    .replace(/\.\w+$/, '')

test('GET /api/media/thumbnails/{uuid} sends the uploaded thumbnail, or the picture itself', async () => {
  const small = pngHead(512, 100, 200)
  for (const parts of [
    { thumbnail: small.bytes, picture: pngHead(4000, 3000).bytes },
    { picture: pngHead(4001, 3000).bytes, thumbnail: small.bytes },
  ]) {
    const item = JSON.parse(await (await send({ title: 'Large', ...parts })).text())
    const got = await fetch(smallOf(item))
    assert.deepEqual(Buffer.from(await got.arrayBuffer()), small.bytes)
    assert.equal(got.headers.get('content-type'), 'image/png')
    assert.equal(got.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.match(got.headers.get('content-security-policy') ?? '', /sandbox/)
    const whole = await fetch(url + pathOf(item.url))
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), parts.picture)
    const address = smallOf(item).replace(url, 'https://forgehall.example')
    for (const path of ['/overview', '/overview/media'])
      assert.match(
        await (await fetch(url + path)).text(),
        new RegExp(`<a href="${item.url}"[^>]*><img src="${address}"`),
        path,
      )
    await call('DELETE /api/media/{id}', { params: { id: item.id } })
    assert.equal((await fetch(smallOf(item))).status, 404, 'not while it is in the trash')
    const before = await contents()
    await pool`delete from site.removed_item where id = ${item.id}`
    assert.equal(await contents(), before - 2, 'both are deleted with the item')
  }
  const plain = JSON.parse(await (await send({ title: 'Small', picture: dotPicture.bytes })).text())
  const itself = await fetch(smallOf(plain))
  assert.deepEqual(Buffer.from(await itself.arrayBuffer()), dotPicture.bytes)
  assert.equal((await fetch(smallOf(plain), { headers: { range: 'bytes=0-2' } })).status, 206)
  const etag = itself.headers.get('etag') ?? ''
  assert.equal((await fetch(smallOf(plain), { headers: { 'if-none-match': etag } })).status, 304)
  assert.equal((await fetch(smallOf(plain), { headers: { range: 'bytes=9999-' } })).status, 416)
  for (const wrong of ['x', '00000000-0000-0000-0000-000000000000', '%00', '..%2Fx'])
    assert.equal((await fetch(`${url}/api/media/thumbnails/${wrong}`)).status, 404, wrong)
})

test('POST /api/media/pictures takes only a small picture as a thumbnail, and the first one', async () => {
  const before = await contents()
  const picture = dotPicture.bytes
  for (const [thumbnail, status] of [
    [Buffer.from('<svg/>'), 415],
    [Buffer.alloc(0), 415],
    [pngHead(513, 1).bytes, 422],
    [pngHead(1, 100_000).bytes, 422],
    [pngHead(9, 9, 64 * 1024).bytes, 400],
  ] as const)
    for (const parts of [
      { title: 'x', thumbnail, picture },
      { title: 'x', picture, thumbnail },
    ])
      assert.equal((await send(parts)).status, status, `${thumbnail.length} bytes`)
  assert.equal((await send({ title: 'x', thumbnail: pngHead(9, 9).bytes })).status, 400)
  assert.equal(await contents(), before)
  const field = JSON.parse(await (await send({ title: 'x', thumbnail: 'a field', picture })).text())
  assert.deepEqual(Buffer.from(await (await fetch(smallOf(field))).arrayBuffer()), picture)
  const same = JSON.parse(await (await send({ title: 'x', thumbnail: picture, picture })).text())
  assert.deepEqual(Buffer.from(await (await fetch(smallOf(same))).arrayBuffer()), picture)
})

test('POST /api/media/pictures refuses a file that is no picture or too large, and a form without a title, and stores nothing', async () => {
  const before = await contents()
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  const title = 'x'
  for (const [parts, status] of [
    [{ title, picture: svg }, 415],
    [{ title, picture: Buffer.from('<!doctype html><script>alert(1)</script>') }, 415],
    [{ title, picture: Buffer.alloc(0) }, 415],
    [{ title, picture: pngHead(20_000, 20_000).bytes }, 422],
    [{ title, picture: pngHead(1, 16_385).bytes }, 422],
    [{ title, picture: pngHead(0, 1).bytes }, 415],
    [{ title, picture: pngHead(10, 10, 10 * 1024 * 1024).bytes }, 413],
    [{ title: '', picture: dotPicture.bytes }, 400],
    [{ title: 'a\0', picture: dotPicture.bytes }, 400],
    [{ picture: dotPicture.bytes }, 400],
    [{ title, picture: 'no file' }, 415],
    [{ title }, 400],
    [{ title: 'y'.repeat(5000), picture: dotPicture.bytes }, 400],
  ] as const) {
    const response = await send(parts)
    assert.equal(response.status, status, JSON.stringify(Object.keys(parts)))
    assert.equal(typeof JSON.parse(await response.text()).error, 'string')
  }
  const headers = { ...publisher, 'content-type': 'image/gif' }
  const plain = { method: 'POST', body: dotPicture.base64, headers }
  assert.equal((await fetch(`${url}/api/media/pictures`, plain)).status, 415)
  assert.equal(await contents(), before)
})

test('a picture is neither shown while its item is in the trash, nor kept when that is deleted', async () => {
  const item = JSON.parse(await (await send({ title: 'Gone', picture: pngHead(3, 4).bytes })).text())
  const path = pathOf(item.url)
  const before = await contents()
  await call('DELETE /api/media/{id}', { params: { id: item.id } })
  assert.equal((await fetch(url + path)).status, 404)
  assert.equal(await contents(), before)
  await pool`
    with restored as (delete from site.removed_item where id = ${item.id} returning *)
    insert into site.media_item (id, title, media_type, url, description, created_at, version, picture)
    overriding system value
    select id, title, media_type, url, description, created_at, version, picture from restored`
  assert.equal((await fetch(url + path)).status, 200)
  await call('DELETE /api/media/{id}', { params: { id: item.id } })
  await pool`delete from site.removed_item where id = ${item.id}`
  assert.equal(await contents(), before - 1)
})

test('POST /api/media/pictures takes pictures of administrators only, also where everybody may publish', async () => {
  const parts = { title: 'x', picture: dotPicture.bytes }
  for (const [writes, byAdmin] of [
    ['open', 201],
    ['token', 201],
    ['off', 403],
  ] as const) {
    const server = await startApp({ SITE_WRITES: writes })
    const { make } = server
    const admin = bearer(await make.token(await make.admin(), 'write:misc'))
    const others = [{}, bearer(await make.token(await make.person(), 'all'))]
    const statuses = await Promise.all(
      [...others, admin].map(async (headers) => (await send(parts, headers, server.url)).status),
    )
    assert.deepEqual(statuses, writes === 'off' ? [403, 403, 403] : [401, 403, byAdmin], writes)
    const { count } = await server.pool`select from forge.site_picture`
    assert.equal(count, byAdmin === 201 ? 1 : 0, 'what is refused is not stored')
    if (byAdmin !== 201) continue
    const [entry] = await server.pool`select action, target_name from forge.audit order by id desc limit 1`
    assert.deepEqual({ ...entry }, { action: 'media.published', target_name: 'x' })
  }
})

test('POST /api/media/pictures publishes neither where and when a picture was taken, nor with what', async () => {
  const [picture, thumbnail] = [photo({ orientation: 6 }), photo({ orientation: 1 })]
  const item = JSON.parse(await (await send({ title: 'Taken', picture, thumbnail })).text())
  const published = await fetch(url + pathOf(item.url))
  assert.deepEqual(Buffer.from(await published.arrayBuffer()), photo({ orientation: 6, isBare: true }))
  const small = await fetch(smallOf(item))
  assert.deepEqual(Buffer.from(await small.arrayBuffer()), photo({ isBare: true }))
})
