import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Reply } from '../../../src/http/pipeline/reply.ts'
import { ValidatedCache } from '../../../src/http/reads/validated-cache.ts'
import { serveApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'

const replyOf = (text: string, length = text.length): Reply => ({
  status: 200,
  headers: [],
  chunks: [Buffer.from(text)],
  length,
})
const textOf = (reply: Reply | undefined) => reply?.chunks.join('')

/** Replies kept over a database whose state the test says; each run gives its number. */
function shelf(kind: 'now' | 'ask') {
  const at = { state: 1, runs: 0, asked: 0 }
  const now = () => at.state
  const ask = async () => {
    at.asked++
    return String(at.state)
  }
  const kept = new ValidatedCache<Reply>(
    kind === 'now' ? { local: now } : { remote: ask },
    ({ length }) => length,
  )
  const run = async (length?: number) => replyOf(String(++at.runs), length)
  const take = async (key = 'key', length?: number) => textOf(await kept.get(key, () => run(length)))
  return { at, kept, take }
}

for (const kind of ['now', 'ask'] as const) {
  test(`a reply is given again until the state is another one (${kind})`, async () => {
    const { at, take } = shelf(kind)
    assert.deepEqual([await take(), await take(), await take('other')], ['1', '1', '2'])
    at.state++
    assert.deepEqual([await take(), await take(), await take('other')], ['3', '3', '4'])
  })

  test(`what was written during a run is not taken for known (${kind})`, async () => {
    const { at, kept, take } = shelf(kind)
    await kept.get('key', async () => {
      at.state++
      return replyOf('read before the write')
    })
    assert.equal(await take(), '1')
  })
}

test('with a local version a cached result is returned at once; with a remote one after a query', async () => {
  const [own, others] = [shelf('now'), shelf('ask')]
  for (const { take } of [own, others]) await take()
  assert.equal(textOf(own.kept.getIfFresh('key')), '1')
  assert.equal(own.kept.getIfFresh('other'), undefined)
  own.at.state++
  assert.equal(own.kept.getIfFresh('key'), undefined)
  assert.equal(others.kept.getIfFresh('key'), undefined)
})

test('nothing is cached while the version is unknown', async () => {
  for (const states of [{ local: () => undefined }, { remote: async () => undefined }]) {
    const kept = new ValidatedCache<Reply>(states, ({ length }) => length)
    for (const text of ['first', 'second'])
      assert.equal(textOf(await kept.get('key', async () => replyOf(text))), text)
    assert.equal(kept.getIfFresh('key'), undefined)
  }
})

test('a run that fails leaves nothing behind', async () => {
  const { kept, take } = shelf('now')
  const failing = kept.get('key', () => Promise.reject(new Error('away')))
  await assert.rejects(failing, /away/)
  assert.equal(kept.getIfFresh('key'), undefined)
  assert.equal(await take(), '1')
})

test('while the version keeps changing, it is queried less often, and more often once it stays', async () => {
  const { at, take } = shelf('ask')
  for (let run = 0; run < 1000; run++) {
    at.state++
    await take()
  }
  assert.ok(at.asked < 100, `asked ${at.asked} times`)
  const before = at.runs
  for (let read = 0; read < 100; read++) await take()
  assert.ok(at.runs - before < 40, `${at.runs - before} runs of 100`)
})

test('large replies are not kept, and small ones together up to a bound', async () => {
  const { kept, take } = shelf('now')
  await take('large', 1024 * 1024 + 1)
  assert.equal(kept.getIfFresh('large'), undefined)
  for (let at = 0; at < 1000; at++) await take(`key ${at}`, 200 * 1024)
  const bytes = Array.from({ length: 1000 }, (_, at) => kept.getIfFresh(`key ${at}`)?.length ?? 0)
  const together = bytes.reduce((sum, each) => sum + each)
  assert.ok(together > 0 && together <= 8 * 1024 * 1024, `${together} bytes`)
  const long = (at: number) => `${'long '.repeat(20_000)}${at}`
  for (let at = 0; at < 100; at++) await take(long(at), 1)
  const count = Array.from({ length: 100 }, (_, at) => kept.getIfFresh(long(at))).filter(Boolean).length
  assert.ok(count > 0 && count <= 42, `${count} of long keys`)
})

const database = await openTestDatabase()
const word = { state: 1 }
const told = await serveApp({ ...database, states: { local: () => word.state } })
const [one, other] = [await serveApp(database), await serveApp(database)]
after(async () => {
  for (const app of [told, one, other]) await app.close()
  await database.close()
})

for (const path of ['/api/news', '/api/media', '/api/stats/overview', '/api/stats/users']) {
  test(`GET ${path} runs no statement while the state of the database stays`, async () => {
    const read = async (app = told) => (await fetch(app.url + path)).text()
    const [row] = await database.pool<[{ id: number }]>`
      insert into site.visitor (username, joined_at)
      values (${`visitor of ${path}`}, now())
      returning id`
    const before = await read()
    await database.pool`
      insert into site.session (visitor_id, started_at)
      values (${row.id}, now())`
    await database.pool`
      insert into site.news_post (title, content, created_at)
      values ('news', ${path}, now())`
    await database.pool`
      insert into site.media_item (title, url, media_type, created_at)
      values ('media', 'https://media.example/1', 'image', now())`
    assert.equal(await read(), before)
    word.state++
    const now = await read()
    assert.notEqual(now, before)
    assert.equal(await read(one), now)
  })
}

test('every answer to a request after a commit includes it, in every process', async () => {
  const writer = async (app: typeof one, name: string) => {
    for (let at = 0; at < 50; at++) {
      const title = `${name} ${at}`
      await app.call('POST /api/news', { body: { title, content: 'text' } })
      for (const reader of [one, other]) {
        const { body } = await reader.call('GET /api/news', { query: { limit: 100 } })
        assert.ok(
          body.some((post: { title: string }) => post.title === title),
          `${title} is missing`,
        )
      }
    }
  }
  await Promise.all([writer(one, 'one'), writer(one, 'first'), writer(other, 'other')])
})

test('a reader never sees a post go and come back', async () => {
  const { body: post } = await one.call('POST /api/news', { body: { title: 'gone', content: 'text' } })
  const shown = async () => {
    const { body } = await other.call('GET /api/news', { query: { limit: 100 } })
    return body.some(({ id }: { id: number }) => id === post.id)
  }
  assert.equal(await shown(), true)
  assert.equal(await shown(), true)
  await one.call('DELETE /api/news/{id}', { params: { id: post.id } })
  assert.equal(await shown(), false)
})
