import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'

const { call, clock, pool } = await startApp()

const publish = async (title: string, content = 'text') =>
  (await call('POST /api/news', { body: { title, content } })).body

async function countPosts(): Promise<number> {
  const [row] = await pool<[{ posts: number }]>`select count(*) as posts from site.news_post`
  return row.posts
}

test('POST /api/news publishes a post and gives it back', async () => {
  const { status, body } = await call('POST /api/news', {
    body: { title: 'One', content: 'first', extra: 1 },
  })
  assert.equal(status, 201)
  assert.deepEqual(body, { id: 1, title: 'One', content: 'first', created_at: '2026-01-31T08:00:00.000Z' })
  const { body: list } = await call('GET /api/news')
  assert.deepEqual(list, [body])
})

test('POST /api/news keeps blanks and every character of Unicode', async () => {
  const post = await publish(' ', '𝄞 naïve\n\u2028 "quoted" \\ {arr,ay} NULL')
  assert.equal(post.title, ' ')
  assert.equal(post.content, '𝄞 naïve\n\u2028 "quoted" \\ {arr,ay} NULL')
  assert.deepEqual((await call('GET /api/news', { query: { limit: 1 } })).body, [post])
})

test('POST /api/news answers with the moment that it stores, to the millisecond', async () => {
  for (let again = 0; again < 40; again++) {
    clock.tick(101)
    const post = await publish(`moment ${again}`)
    assert.deepEqual((await call('GET /api/news', { query: { limit: 1 } })).body, [post])
  }
})

for (const body of [
  undefined,
  {},
  { title: 'a' },
  { content: 'a' },
  { title: '', content: 'a' },
  { title: 'a', content: '' },
  { title: 1, content: 'a' },
  { title: 'a', content: null },
  { title: ['a'], content: 'a' },
  [],
  ['title'],
  'null',
  '"text"',
  '1',
  '{"__proto__":{"title":"a","content":"b"}}',
]) {
  test(`POST /api/news refuses ${JSON.stringify(body) ?? 'no body'} and writes nothing`, async () => {
    const before = await countPosts()
    const { status, body: refusal } = await call('POST /api/news', { body })
    assert.equal(status, 400)
    assert.deepEqual(refusal, { error: 'title and content are required' })
    assert.equal(await countPosts(), before)
  })
}

test('GET /api/news lists the newest first, and of equal moments the later id', async () => {
  const older = await publish('older')
  const equal = await publish('equal')
  clock.tick(1)
  const newest = await publish('newest')
  const { body } = await call('GET /api/news', { query: { limit: 3 } })
  assert.deepEqual(
    body.map((post: { id: number }) => post.id),
    [newest.id, equal.id, older.id],
  )
})

test('GET /api/news reads its limit as the specification says', async () => {
  await Promise.all(Array.from({ length: 110 }, (_, at) => publish(`post ${at}`)))
  for (const [limit, length] of [
    ['', 20],
    ['0', 20],
    ['none', 20],
    ['-5', 20],
    ['0.5', 20],
    ['2.9', 2],
    ['1e1', 10],
    ['100', 100],
    ['101', 100],
    ['Infinity', 100],
    ['9'.repeat(400), 100],
    ['NaN', 20],
  ] as const) {
    const { body } = await call('GET /api/news', { query: { limit } })
    assert.equal(body.length, length, `limit=${limit}`)
  }
  assert.equal((await call('GET /api/news')).body.length, 20)
  assert.equal((await call('GET /api/news', { query: { limit: ['3', '4'] } })).body.length, 20)
})

test('POST /api/news gives concurrent callers their own posts, as they are stored', async () => {
  const titles = Array.from({ length: 200 }, (_, at) => `at once ${at}`)
  const posts = await Promise.all(titles.map((title, at) => publish(title, `content ${at}`)))
  assert.deepEqual(
    posts.map(({ title, content }) => [title, content]),
    titles.map((title, at) => [title, `content ${at}`]),
  )
  const stored = await pool`
    select id, title, content, created_at from site.news_post where title like 'at once %' order by id`
  assert.deepEqual(
    [...stored],
    posts.sort((one, other) => one.id - other.id),
  )
})

test('GET /api/news shows a post to every read that began after it was acknowledged', async () => {
  await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      for (let again = 0; again < 8; again++) {
        clock.tick(1)
        const { id } = await publish(`fresh ${at} ${again}`)
        const { body } = await call('GET /api/news', { query: { limit: 100 } })
        assert.ok(body.some((post: { id: number }) => post.id === id))
      }
    }),
  )
})

test('DELETE /api/news/{id} removes a post once', async () => {
  const { id } = await publish('short-lived')
  assert.equal((await call('DELETE /api/news/{id}', { params: { id } })).status, 204)
  const again = await call('DELETE /api/news/{id}', { params: { id } })
  assert.equal(again.status, 404)
  assert.deepEqual(again.body, { error: 'not found' })
})

test('DELETE /api/news/{id} by many callers succeeds for one', async () => {
  const { id } = await publish('wanted')
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call('DELETE /api/news/{id}', { params: { id } })),
  )
  assert.equal(answers.filter(({ status }) => status === 204).length, 1)
  assert.equal(answers.filter(({ status }) => status === 404).length, 19)
})

for (const id of [
  'abc',
  '1.5',
  '0',
  '-1',
  '1e3',
  ' 1',
  '9'.repeat(400),
  '9223372036854775808',
  "1' or '1'='1",
  '\0',
]) {
  test(`DELETE /api/news/{id} finds nothing under ${JSON.stringify(id.slice(0, 30))}`, async () => {
    const before = await countPosts()
    const { status, body } = await call('DELETE /api/news/{id}', { params: { id } })
    assert.equal(status, 404)
    assert.deepEqual(body, { error: 'not found' })
    assert.equal(await countPosts(), before)
  })
}

test('GET /api/news/{id} returns a post with its format and version', async () => {
  const post = await publish('read alone')
  const { status, body } = await call('GET /api/news/{id}', { params: { id: post.id } })
  assert.equal(status, 200)
  assert.deepEqual(body, { ...post, format: 'plain', updated_at: null, version: 1 })
  for (const id of [999999, 'x', '9'.repeat(30)])
    assert.equal((await call('GET /api/news/{id}', { params: { id } })).status, 404)
})

test('PATCH /api/news/{id} changes only the members of the body, and neither id, time nor position', async () => {
  const [post, newer] = [await publish('before'), await publish('newer')]
  clock.tick(1000)
  const change = (body: unknown, id = post.id) => call('PATCH /api/news/{id}', { params: { id }, body })
  const { status, body } = await change({ title: 'after' })
  assert.equal(status, 200)
  const expected = { ...post, title: 'after' }
  const updated_at = clock.now().toISOString()
  assert.deepEqual(body, { ...expected, format: 'plain', updated_at, version: 2 })
  const listed = (await call('GET /api/news', { query: { limit: 2 } })).body
  assert.deepEqual(listed, [newer, expected], 'lists have the members of the specification')
  assert.equal((await change({ content: 'new', version: 1 })).status, 409)
  assert.equal((await change({ content: 'new', version: 2 })).body.version, 3)
  for (const wrong of [
    {},
    { title: '' },
    { content: '' },
    { title: 1 },
    { title: null },
    { title: 'a', version: 0 },
    [],
    'x',
  ])
    assert.equal((await change(wrong)).status, 400, JSON.stringify(wrong))
  assert.equal((await change({ title: 'a', version: 1e12 })).status, 400)
  assert.equal((await change({ title: 'a' }, 999999)).status, 404)
  assert.equal((await call('GET /api/news/{id}', { params: { id: post.id } })).body.version, 3)
})

test('PATCH /api/news/{id} by many callers with one version succeeds for one', async () => {
  const { id } = await publish('contested')
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      call('PATCH /api/news/{id}', { params: { id }, body: { title: `of ${at}`, version: 1 } }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)])
})
