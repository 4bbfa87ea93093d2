import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'

const { call, clock, pool } = await startApp()

const refusalText = 'title, url, and media_type (image|video) are required'

const add = async (title: string, media_type = 'image', url = 'https://media.example/a') =>
  (await call('POST /api/media', { body: { title, media_type, url } })).body

async function countItems(): Promise<number> {
  const [row] = await pool<[{ items: number }]>`select count(*) as items from site.media_item`
  return row.items
}

test('GET /api/media is an empty array while there is nothing', async () => {
  const { status, body } = await call('GET /api/media')
  assert.equal(status, 200)
  assert.deepEqual(body, [])
})

for (const media_type of ['image', 'video']) {
  test(`POST /api/media adds an item of type ${media_type} and gives it back`, async () => {
    const draft = { title: `One ${media_type}`, media_type, url: 'https://media.example/ä?b=c#d' }
    const { status, body } = await call('POST /api/media', { body: { ...draft, extra: { id: 7 } } })
    assert.equal(status, 201)
    assert.equal(Number.isInteger(body.id), true)
    assert.deepEqual(body, { id: body.id, ...draft, created_at: '2026-01-31T08:00:00.000Z' })
    const { body: list } = await call('GET /api/media')
    assert.deepEqual(list[0], body)
    const stored = await pool`select title, media_type, url from site.media_item where id = ${body.id}`
    assert.deepEqual([...stored], [draft])
  })
}

test('POST /api/media keeps blanks and every character of Unicode, and any text as url', async () => {
  const draft = { title: ' \t', media_type: 'video', url: ' 𝄞\u2028{"a",b}\\N ' }
  const { body } = await call('POST /api/media', { body: draft })
  assert.deepEqual({ title: body.title, media_type: body.media_type, url: body.url }, draft)
  assert.deepEqual((await call('GET /api/media', { query: { limit: 1 } })).body, [body])
})

const whole = { title: 'a', media_type: 'image', url: 'b' }
for (const body of [
  undefined,
  {},
  [],
  'null',
  'true',
  '0',
  '"image"',
  { media_type: 'image', url: 'b' },
  { title: 'a', url: 'b' },
  { title: 'a', media_type: 'image' },
  { ...whole, title: '' },
  { ...whole, url: '' },
  { ...whole, media_type: '' },
  { ...whole, media_type: 'audio' },
  { ...whole, media_type: 'Image' },
  { ...whole, media_type: 'image ' },
  { ...whole, media_type: ['image'] },
  { ...whole, media_type: null },
  { ...whole, title: null },
  { ...whole, title: 1 },
  { ...whole, title: { toString: 'a' } },
  { ...whole, url: true },
  { ...whole, url: ['b'] },
  [whole],
  '{"__proto__":{"title":"a","media_type":"image","url":"b"}}',
  '{"constructor":{"prototype":{"title":"a"}},"media_type":"image","url":"b"}',
]) {
  test(`POST /api/media refuses ${JSON.stringify(body) ?? 'no body'} and writes nothing`, async () => {
    const before = await countItems()
    const { status, body: refusal } = await call('POST /api/media', { body })
    assert.equal(status, 400)
    assert.deepEqual(refusal, { error: refusalText })
    assert.equal(await countItems(), before)
  })
}

test('GET /api/media lists the newest first, and of equal moments the later id', async () => {
  clock.tick(1)
  const older = await add('older')
  const equal = await add('equal', 'video')
  clock.tick(1)
  const newest = await add('newest')
  const { body } = await call('GET /api/media', { query: { limit: 3 } })
  assert.deepEqual(body, [newest, equal, older])
})

test('GET /api/media reads its limit as the specification says', async () => {
  await Promise.all(Array.from({ length: 110 }, (_, at) => add(`item ${at}`)))
  for (const [limit, length] of [
    ['', 24],
    ['0', 24],
    ['-0', 24],
    ['none', 24],
    ['-1', 24],
    ['-Infinity', 24],
    ['0.9', 24],
    ['1', 1],
    ['3.99', 3],
    [' 5 ', 5],
    ['99', 99],
    ['100', 100],
    ['100.5', 100],
    ['1000000', 100],
    ['1e308', 100],
    ['Infinity', 100],
    ['[object Object]', 24],
  ] as const) {
    const { body } = await call('GET /api/media', { query: { limit } })
    assert.equal(body.length, length, `limit=${limit}`)
  }
  assert.equal((await call('GET /api/media')).body.length, 24)
  assert.equal((await call('GET /api/media', { query: { limit: ['3', '4'] } })).body.length, 24)
})

test('POST /api/media gives concurrent callers their own items, as they are stored', async () => {
  const titles = Array.from({ length: 200 }, (_, at) => `at once ${at}`)
  const items = await Promise.all(titles.map((title, at) => add(title, at % 2 ? 'image' : 'video', `u${at}`)))
  assert.deepEqual(
    items.map(({ title, media_type, url }) => [title, media_type, url]),
    titles.map((title, at) => [title, at % 2 ? 'image' : 'video', `u${at}`]),
  )
  const stored = await pool`
    select id, title, media_type, url, created_at from site.media_item where title like 'at once %' order by id`
  assert.deepEqual(
    [...stored],
    items.sort((one, other) => one.id - other.id),
  )
})

test('DELETE /api/media/{id} removes an item once, and no other', async () => {
  const kept = await add('kept')
  const { id } = await add('short-lived')
  const before = await countItems()
  const { status, body } = await call('DELETE /api/media/{id}', { params: { id } })
  assert.equal(status, 204)
  assert.equal(body, undefined)
  assert.equal(await countItems(), before - 1)
  const again = await call('DELETE /api/media/{id}', { params: { id } })
  assert.equal(again.status, 404)
  assert.deepEqual(again.body, { error: 'not found' })
  const { body: list } = await call('GET /api/media', { query: { limit: 1 } })
  assert.deepEqual(list, [kept])
})

test('DELETE /api/media/{id} by many callers succeeds for one', async () => {
  const { id } = await add('wanted')
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call('DELETE /api/media/{id}', { params: { id } })),
  )
  assert.equal(answers.filter(({ status }) => status === 204).length, 1)
  assert.equal(answers.filter(({ status }) => status === 404).length, 19)
})

for (const id of ['x', '1.0', '0', '-7', '0x1', '1 ', '١', '7'.repeat(400), '9223372036854775807', 'null']) {
  test(`DELETE /api/media/{id} finds nothing under ${JSON.stringify(id.slice(0, 30))}`, async () => {
    const before = await countItems()
    const { status, body } = await call('DELETE /api/media/{id}', { params: { id } })
    assert.equal(status, 404)
    assert.deepEqual(body, { error: 'not found' })
    assert.equal(await countItems(), before)
  })
}

test('the id of a deleted item is never given again', async () => {
  const { id } = await add('last')
  await call('DELETE /api/media/{id}', { params: { id } })
  assert.ok((await add('next')).id > id)
})
