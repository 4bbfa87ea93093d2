import assert from 'node:assert/strict'
import { test } from 'node:test'
import { done } from '../../src/common/outcome.ts'
import { createCache, keyOf } from '../../src/render/cache.ts'
import { type RenderOutcome, type RenderRequest, renderFailed } from '../../src/render/request.ts'
import { html, requestOf } from './request.ts'

/** A run that counts and answers on demand. */
function controlled(answer: (request: RenderRequest) => RenderOutcome) {
  const calls: string[] = []
  const run = async (request: RenderRequest) => {
    calls.push(request.text)
    return answer(request)
  }
  return { calls, run }
}

const echo = controlled(({ text }) => done({ html: text, mentions: [] }))

test('the same request runs once, at the same time and later', async () => {
  const { calls, run } = controlled(({ text }) => done({ html: text, mentions: [] }))
  const cache = createCache(run, 100_000)
  const outcomes = await Promise.all([cache.render(requestOf('a')), cache.render(requestOf('a'))])
  outcomes.push(await cache.render(requestOf('a')))
  assert.deepEqual(outcomes.map(html), ['a', 'a', 'a'])
  assert.deepEqual(calls, ['a'])
})

test('the size stays within the bound and the longest unused goes first', async () => {
  const { calls, run } = controlled(({ text }) => done({ html: text, mentions: [] }))
  const cache = createCache(run, 10_000)
  const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(1000))
  for (const text of texts) await cache.render(requestOf(text))
  await cache.render(requestOf(texts[0] ?? ''))
  await cache.render(requestOf('e'.repeat(1000)))
  assert.ok(cache.size() <= 10_000)
  calls.length = 0
  for (const text of texts) await cache.render(requestOf(text))
  assert.ok(!calls.includes(texts[0] ?? ''), 'the one just used was forgotten')
  assert.ok(calls.includes(texts[1] ?? ''), 'the least recently used was evicted')
})

test('a text larger than a quarter of the bound is not cached', async () => {
  const { calls, run } = controlled(({ text }) => done({ html: text, mentions: [] }))
  const cache = createCache(run, 10_000)
  for (let round = 0; round < 2; round++) await cache.render(requestOf('x'.repeat(5000)))
  assert.equal(calls.length, 2)
  assert.equal(cache.size(), 0)
})

test('an outcome that a retry may change is not cached, a final one is', async () => {
  for (const [reason, runs] of [
    ['busy', 2],
    ['timeout', 2],
    ['memory', 2],
    ['failed', 2],
    ['renderer', 1],
    ['depth', 1],
  ] as const) {
    const { calls, run } = controlled(() => renderFailed(reason, 'no'))
    const cache = createCache(run, 10_000)
    for (let round = 0; round < 2; round++) await cache.render(requestOf('x'))
    assert.equal(calls.length, runs, reason)
  }
})

test('a failed run is not cached, so the next request starts another', async () => {
  let fail = true
  const cache = createCache(async (request: RenderRequest) => {
    if (fail) throw new Error('once')
    return echo.run(request)
  }, 10_000)
  await assert.rejects(cache.render(requestOf('x')), /once/)
  fail = false
  assert.equal(html(await cache.render(requestOf('x'))), 'x')
})

test('every field of a request makes another key, the case and order of accounts do not', () => {
  const base = requestOf('x')
  const others: Partial<RenderRequest>[] = [
    { text: 'y' },
    { mode: 'gfm' },
    { wiki: true },
    { filePath: 'a' },
    { context: 'a' },
    { host: 'http://b/' },
    { knownAccounts: ['a'] },
    { decorate: true },
    { text: '\ud800' },
    { text: '\ud801' },
  ]
  const keys = [base, ...others.map((other) => ({ ...base, ...other }))].map(keyOf)
  assert.equal(new Set(keys).size, others.length + 1)
  assert.equal(
    keyOf({ ...base, knownAccounts: ['a', 'B'] }),
    keyOf({ ...base, knownAccounts: ['b', 'A', 'a'] }),
  )
})

test('a shared run ends when all who wait for it have gone, and not before', async () => {
  const signals: (AbortSignal | undefined)[] = []
  const cache = createCache((_request, _owner, gone) => {
    signals.push(gone)
    return new Promise(() => {})
  }, 100_000)
  const [one, other, late] = [new AbortController(), new AbortController(), new AbortController()]
  void cache.render(requestOf('a'), 1, one.signal)
  void cache.render(requestOf('a'), 2, other.signal)
  one.abort()
  assert.equal(signals[0]?.aborted, false)
  other.abort()
  assert.equal(signals[0]?.aborted, true)
  void cache.render(requestOf('a'), 3, late.signal)
  assert.equal(signals.length, 2, 'who comes later starts another run')
  assert.equal(signals[1]?.aborted, false)
})
