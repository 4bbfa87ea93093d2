import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { insertActivity } from '../../src/site/activity-store.ts'
import { recordPresence } from '../../src/site/presence-store.ts'
import { upsertStatistics } from '../../src/site/statistic-store.ts'
import { serveApp, startApp } from '../support/app.ts'
import { onlyOnce, onServer } from '../support/database.ts'
import { openRaw } from '../support/raw.ts'
import { until } from '../support/wait.ts'

// Only the comments of streams repeat by this timer here.
mock.timers.enable({ apis: onServer ? ['setInterval'] : [] })

const app = await startApp()
const { url, call, pool, clock } = app
const path = '/api/stats/stream'
const stream = `GET ${path}`
const sections = ['currentUsers', 'general', 'media', 'news', 'online', 'presence', 'recentActivity']

interface Event {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects
  data: any
}

/** Streams that this file has asked the first app for. */
let opened = 0

/** Waits until the server has noticed that every reader has gone. */
const allGone = () =>
  until(
    'every stream has ended',
    () => app.log.lines().filter(({ route }) => route === path).length === opened,
  )

/** A reader of the stream, as a browser is one. */
async function read(root: string, lastEventId?: string, address = '127.0.0.1') {
  if (root === url) opened += 1
  const controller = new AbortController()
  const response = await fetch(root + path, {
    headers: {
      'x-forwarded-for': address,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: controller.signal,
  })
  let text = ''
  const ended = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
    return 'ended'
  })().catch(() => 'aborted')
  const events = (): Event[] =>
    text.split('\n\n').flatMap((block) => {
      const [, id = '', event = '', data = ''] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? []
      return data === '' ? [] : [{ id, event, data: JSON.parse(data) }]
    })
  return {
    response,
    ended,
    events,
    text: () => text,
    /** The latest event of a section. */
    latest: (section: string) => events().findLast(({ event }) => event === section)?.data,
    whole: () => until('the whole panel has come', () => events().length >= sections.length && events()),
    close: async () => {
      controller.abort()
      await ended
    },
  }
}

const publish = (title: string) => call('POST /api/news', { body: { title, content: `about ${title}` } })
const titles = (news: { title: string }[] | undefined) => news?.map(({ title }) => title) ?? []

test(`${stream} begins with every section and the delay before a reconnection`, async () => {
  await publish('first')
  const reader = await read(url)
  assert.equal(reader.response.status, 200)
  assert.equal(reader.response.headers.get('content-type'), 'text/event-stream')
  assert.equal(reader.response.headers.get('cache-control'), 'no-cache')
  assert.equal(reader.response.headers.get('access-control-allow-origin'), '*')
  const events = await reader.whole()
  assert.ok(reader.text().startsWith('retry: 3000\n\n'))
  assert.deepEqual(events.map(({ event }) => event).toSorted(), sections)
  const overview = (await call('GET /api/stats/overview')).body
  for (const section of ['currentUsers', 'recentActivity', 'general'])
    assert.deepEqual(reader.latest(section), overview[section])
  const [post] = reader.latest('news')
  assert.deepEqual({ title: post.title, excerpt: post.excerpt }, { title: 'first', excerpt: 'about first' })
  assert.deepEqual(reader.latest('online'), { users: 0, orMore: false })
  await reader.close()
})

test(`${stream} sends each change to every reader`, async () => {
  const readers = await Promise.all([read(url), read(url), read(url)])
  for (const reader of readers) await reader.whole()
  const arrives = (section: string, holds: (data: never) => boolean) =>
    Promise.all(readers.map((each) => until(section, () => holds(each.latest(section) as never))))
  await publish('second')
  await arrives('news', (news) => titles(news)[0] === 'second')
  const media = { title: 'Dawn', media_type: 'image', url: 'https://media.example.org/dawn.jpg' }
  const { body: item } = await call('POST /api/media', { body: media })
  await arrives('media', ([first]: { url: string }[]) => first?.url === media.url)
  await call('DELETE /api/media/{id}', { params: { id: item.id } })
  await arrives('media', (items: unknown[]) => items.length === 0)
  const { body: session } = await call('POST /api/stats/session/start', { body: { username: 'ada' } })
  await arrives('online', ({ users }: { users: number }) => users === 1)
  await arrives('currentUsers', ([user]: { username: string }[]) => user?.username === 'ada')
  await recordPresence(pool, clock.now())
  await arrives('presence', (samples: { users: number }[]) => samples.at(-1)?.users === 1)
  await call('POST /api/stats/session/end', { body: { sessionId: session.sessionId } })
  await arrives('online', ({ users }: { users: number }) => users === 0)
  await upsertStatistics(pool, { version: '9.9.9' })
  await arrives('general', ({ build }: { build: { version: string } }) => build.version === '9.9.9')
  await insertActivity(pool, ['a\r\ndata: b\n\nevent: c'], clock.now())
  await arrives(
    'recentActivity',
    ([entry]: { description: string }[]) => entry?.description.startsWith('a\r') === true,
  )
  for (const reader of readers) await reader.close()
})

test(`${stream} continues after Last-Event-ID with the missed events only`, async () => {
  const first = await read(url)
  const last = (await first.whole()).at(-1)?.id ?? ''
  await first.close()
  const current = await read(url, last)
  await publish('missed')
  await until('the change has come', () => titles(current.latest('news'))[0] === 'missed')
  assert.deepEqual(
    current.events().map(({ event }) => event),
    ['news'],
  )
  const later = await read(url, last)
  await until('what was missed has come', () => later.events().length > 0)
  assert.deepEqual(later.events(), current.events())
  await current.close()
  await later.close()
})

for (const id of [
  'nonsense',
  '',
  '0',
  '-1',
  'AAAAAAAA.1',
  `${'x'.repeat(4000)}`,
  '%00',
  'a.b.c',
  '"; drop',
  '12345678.999999999999999999',
]) {
  test(`${stream} sends everything after the id ${id.slice(0, 30)}, which it has not sent`, async () => {
    const reader = await read(url, id)
    assert.equal(reader.response.status, 200)
    assert.equal((await reader.whole()).length, sections.length)
    await reader.close()
  })
}

test(`${stream} sends everything after an id from the future of this process`, async () => {
  const first = await read(url)
  const [process = ''] = (await first.whole())[0]?.id.split('.') ?? []
  await first.close()
  const reader = await read(url, `${process}.999999`)
  assert.equal((await reader.whole()).length, sections.length)
  await reader.close()
})

test(`${stream} reads the database once for all readers, and not at all without any`, async (t) => {
  await allGone()
  const reads = t.mock.method(app.app.limiter, 'run')
  const readers = await Promise.all(Array.from({ length: 20 }, () => read(url)))
  for (const reader of readers) await reader.whole()
  assert.equal(reads.mock.callCount() - readers.length, 1, 'one beside the one slot of each request')
  for (const reader of readers) await reader.close()
  await allGone()
  const before = reads.mock.callCount()
  for (let n = 0; n < 3; n++) await publish('unread')
  await call('GET /api/health')
  assert.equal(reads.mock.callCount() - before, 4, 'the requests themselves')
})

test(`${stream} reaches the readers of another process on the same server`, { skip: !onServer }, async () => {
  const other = await serveApp(app.database)
  const [here, there] = [await read(url), await read(other.url)]
  await here.whole()
  const [event] = await there.whole()
  await publish('from here')
  await until('it is there', () => titles(there.latest('news'))[0] === 'from here')
  await other.call('POST /api/news', { body: { title: 'from there', content: 'x' } })
  await until('it is here', () => titles(here.latest('news'))[0] === 'from there')
  const moved = await read(url, event?.id)
  assert.equal(
    (await moved.whole()).length,
    sections.length,
    'an id of another process is followed by everything',
  )
  for (const reader of [here, there, moved]) await reader.close()
  await other.close()
})

test(`${stream} sends a comment every 15 seconds`, { skip: !onServer }, async () => {
  const reader = await read(url)
  await reader.whole()
  assert.ok(!reader.text().includes('\n\n:\n\n'))
  mock.timers.tick(15_000)
  await until('the comment has come', () => reader.text().endsWith('\n\n:\n\n'))
  await reader.close()
})

test(`${stream} answers 503 beyond STREAM_LIMIT, and a stream that ends makes room`, async () => {
  const small = await serveApp(app.database, { STREAM_LIMIT: '2' })
  const readers = [
    await read(small.url, undefined, '192.0.2.1'),
    await read(small.url, undefined, '192.0.2.2'),
  ]
  const refused = await fetch(small.url + path)
  assert.equal(refused.status, 503)
  assert.deepEqual(await refused.json(), { error: 'there are too many event streams' })
  assert.equal(refused.headers.get('retry-after'), '5')
  for (let count = 0; count < 20; count++) assert.equal((await fetch(small.url + path)).status, 503)
  const lines = small.log.lines().filter(({ message }) => message === 'there are too many event streams')
  assert.ok(
    lines.length < 20 && lines.every(({ level }) => level === 'warn'),
    'it is no error, and not each is a line',
  )
  await readers[0]?.close()
  await until('there is room', async () => {
    const next = await read(small.url)
    await next.close()
    return next.response.status === 200
  })
  await small.close()
  assert.equal(await readers[1]?.ended, 'ended', 'a server that stops ends its streams')
})

test(`${stream} answers 429 to a network that has an eighth of STREAM_LIMIT, and no line of the log is an error`, async () => {
  const small = await serveApp(app.database, { STREAM_LIMIT: '16' })
  const readers = [
    await read(small.url, undefined, '2001:db8::1'),
    await read(small.url, undefined, '2001:db8::2'),
  ]
  const statusFrom = async (address: string) => {
    const reader = await read(small.url, undefined, address)
    await reader.close()
    return [reader.response.status, reader.response.headers.get('retry-after')]
  }
  assert.deepEqual(await statusFrom('2001:db8::3'), [429, '5'])
  assert.deepEqual(await statusFrom('2001:db8:0:1::3'), [200, null])
  await readers[0]?.close()
  await until('there is room', async () => (await statusFrom('2001:db8::3'))[0] === 200)
  await readers[1]?.close()
  await small.close()
  assert.deepEqual(
    small.log.lines().filter(({ level }) => level === 'error'),
    [],
  )
})

test(`${stream} disconnects a reader that does not read`, onlyOnce, async () => {
  await allGone()
  const slow = await openRaw(url)
  slow.socket.pause()
  slow.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  opened += 1
  const other = await read(url)
  await other.whole()
  const content = '\u{1F600}'.repeat(500)
  const before = app.log.lines().length
  await until('the server has closed the stream', async () => {
    await call('POST /api/news', { body: { title: content, content } })
    return app.log
      .lines()
      .slice(before)
      .some(({ route }) => route === path)
  })
  slow.socket.destroy()
  await other.close()
})

test(`HEAD ${path} has the headers of the stream and ends`, async () => {
  opened += 1
  const response = await fetch(url + path, { method: 'HEAD' })
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/event-stream'])
})
