import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { serveApp, startApp } from '../../support/app.ts'
import { basic, makersFor } from '../../support/forge/make.ts'
import { until } from '../../support/wait.ts'

const first = await startApp()
const second = await serveApp(first.database)
const { pool, clock } = first
const make = makersFor(first)
after(second.close)
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'ada' })

const post = { title: 'The doors are open', content: 'Come in.' }
const news = '/api/news'
const tokens = '/api/v1/users/ada/tokens'

interface Sent {
  key?: string
  body?: object
  as?: { authorization: string }
  at?: string
}

async function send(path: string, { key, body = post, as, at = first.url }: Sent) {
  const reply = await fetch(at + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
      ...as,
    },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  return {
    status: reply.status,
    body: text === '' ? undefined : JSON.parse(text),
    replayed: reply.headers.get('idempotency-replayed'),
    type: reply.headers.get('content-type'),
  }
}

const count = async (table: string) => (await pool`select from ${pool(table)}`).length
const posts = () => count('site.news_post')

test('the same request under the same key makes one thing and gets the same answer, in every process', async () => {
  const before = await posts()
  const made = await send(news, { key: 'one' })
  assert.deepEqual([made.status, made.replayed], [201, null])
  for (const at of [first.url, second.url]) {
    assert.deepEqual(await send(news, { key: 'one', at }), { ...made, replayed: 'true' })
  }
  assert.equal(await posts(), before + 1)
})

test('without a key, and under another key, path or caller, it is another request', async () => {
  const ids = [await send(news, {}), await send(news, {}), await send(news, { key: 'two' })].map(
    ({ body }) => body.id,
  )
  assert.equal(new Set(ids).size, 3)
  const org = (username: string, as: typeof boss) =>
    send('/api/v1/orgs', { key: 'two', body: { username }, as })
  assert.deepEqual([(await org('mill', boss)).status, (await org('forge', ada)).status], [201, 201])
  assert.equal((await org('mill', boss)).replayed, 'true')
})

test('another body or query under the same key is 422 in the shape of the API, and makes nothing', async () => {
  const before = await posts()
  await send(news, { key: 'three' })
  const other = await send(news, { key: 'three', body: { ...post, title: 'Another' } })
  assert.deepEqual(other, {
    ...other,
    status: 422,
    body: { error: 'this Idempotency-Key was used for another request' },
  })
  assert.equal((await send(`${news}?x=1`, { key: 'three' })).status, 422)
  assert.equal(await posts(), before + 1)
})

test('a key is 1 to 255 visible ASCII characters', async () => {
  const before = await posts()
  for (const key of ['', 'a b', 'x'.repeat(256), 'é']) {
    const { status, body } = await send(news, { key })
    assert.deepEqual(
      [status, body],
      [400, { error: 'Idempotency-Key must be 1 to 255 visible ASCII characters' }],
      key,
    )
  }
  assert.equal(await posts(), before)
  assert.equal((await send(news, { key: 'x'.repeat(255) })).status, 201)
})

test('a refused attempt leaves the key free', async () => {
  assert.equal((await send(news, { key: 'four', body: { title: '' } })).status, 400)
  const name = { username: 'grace', email: 'grace@example.org', password: 'a long password' }
  const create = (body: object) => send('/api/v1/admin/users', { key: 'four', body, as: boss })
  assert.equal((await create({ ...name, username: 'ada' })).status, 409)
  assert.equal((await create(name)).status, 201)
  assert.deepEqual([(await create(name)).status, (await create(name)).replayed], [201, 'true'])
})

test('a failed attempt leaves the key free, and nothing of what it made', async () => {
  const before = await posts()
  await pool`alter table forgehall.idempotency_key rename column sealed to gone`
  assert.equal((await send(news, { key: 'five' })).status, 500)
  await pool`alter table forgehall.idempotency_key rename column gone to sealed`
  assert.equal(await posts(), before)
  assert.equal((await send(news, { key: 'five' })).status, 201)
})

test('many at once make one thing, whichever process they reach', async () => {
  const before = await posts()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => send(news, { key: 'six', at: at % 2 ? first.url : second.url })),
  )
  const [made, ...others] = answers.filter(({ status, replayed }) => status === 201 && replayed === null)
  assert.equal(others.length, 0)
  for (const { status, body } of answers) {
    if (status === 201) assert.deepEqual(body, made?.body)
    else assert.deepEqual([status, body], [409, { error: 'a request with this Idempotency-Key is running' }])
  }
  assert.equal(await posts(), before + 1)
})

test('a new token is the same in the answer again, and in no column in clear', async () => {
  const as = basic('ada')
  const create = () => send(tokens, { key: 'seven', body: { name: 'robot', scopes: ['all'] }, as })
  const made = await create()
  assert.equal(made.status, 201)
  assert.deepEqual(await create(), { ...made, replayed: 'true' })
  const rows = await pool<{ text: string }[]>`
    select coalesce(encode(sealed, 'escape'), '') || encode(request, 'escape') as text
    from forgehall.idempotency_key`
  assert.ok(rows.length > 0)
  for (const { text } of rows) assert.ok(!text.includes(made.body.sha1))
})

test('an answer is repeated only to the credential that got it', async () => {
  const create = (as: { authorization: string }) =>
    send(tokens, { key: 'credential', body: { name: 'wide', scopes: ['all'] }, as })
  const [every, other, narrow] = await Promise.all([
    make.token(ada),
    make.token(ada),
    make.token(ada, 'write:user'),
  ])
  const made = await create(basic('ada', every))
  assert.equal(made.status, 201)
  assert.deepEqual(await create(basic(every, 'x-oauth-basic')), { ...made, replayed: 'true' })
  const refused = [
    await create(basic('ada', narrow)),
    await create(basic('ada', other)),
    await create(basic('ada')),
  ]
  assert.deepEqual(
    refused.map(({ status, replayed }) => [status, replayed]),
    [
      [403, null],
      [400, null],
      [400, null],
    ],
  )
})

test('an answer to an administrator who acts as a user is not repeated to that user', async () => {
  const create = (as: object) =>
    send('/api/v1/user/repos', { key: 'sudo', body: { name: 'tools' }, as: { ...basic('boss'), ...as } })
  assert.equal((await create({ sudo: 'ada' })).status, 201)
  assert.equal((await create({ sudo: 'ada' })).replayed, 'true')
  assert.equal((await create(basic('ada'))).status, 409)
})

test('after a day a key is forgotten, by the answer and by the task', async () => {
  const made = await send(news, { key: 'eight' })
  clock.tick(24 * 60 * 60 * 1000 + 1000)
  const again = await send(news, { key: 'eight' })
  assert.deepEqual([again.status, again.replayed], [201, null])
  assert.notEqual(again.body.id, made.body.id)
  assert.equal((await send('/api/v1/admin/cron/forget_idempotency_keys', { as: boss, body: {} })).status, 204)
  await until(
    'the task has removed all but the last',
    async () => (await count('forgehall.idempotency_key')) === 1,
  )
})
