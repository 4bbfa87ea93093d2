import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool } from '../../src/render/pool.ts'
import { html, problem, requestOf } from './request.ts'

/** Takes seconds and hundreds of megabytes. */
const heavy = requestOf('- a\n'.repeat(100_000))
const light = requestOf('*x*')

test('a text is rendered in a thread', async (t) => {
  const pool = createPool({ workers: 1 })
  t.after(pool.close)
  assert.equal(html(await pool.run(light)), '<p><em>x</em></p>\n')
})

test('a text for a full queue is rejected at once, waiting ones are rendered', async (t) => {
  const pool = createPool({ workers: 1, queue: 1 })
  t.after(pool.close)
  const outcomes = await Promise.all([pool.run(light), pool.run(light), pool.run(light)])
  assert.equal(html(outcomes[0]), html(outcomes[1]))
  assert.equal(problem(outcomes[2]).reason, 'busy')
})

test('owners take turns: one request does not wait for all requests of another owner', async (t) => {
  const pool = createPool({ workers: 1 })
  t.after(pool.close)
  const order: string[] = []
  const runs = [...'aaaaaab'].map((owner) => pool.run(light, owner).then(() => order.push(owner)))
  await Promise.all(runs)
  assert.equal(order.join(''), 'aabaaaa')
})

test('one owner leaves a thread to others, who do not wait', async (t) => {
  const pool = createPool({ workers: 2, timeLimit: 60_000, memory: 4096 })
  t.after(pool.close)
  let finished = 0
  const count = () => finished++
  for (let at = 0; at < 3; at++) void pool.run(heavy, 'a').then(count)
  assert.match(html(await pool.run(light, 'b')), /<em>/)
  assert.equal(finished, 0)
})

test('an owner may have the only thread of a pool, and requests without an owner all of them', async (t) => {
  for (const [workers, owner] of [
    [1, 'a'],
    [2, undefined],
  ] as const) {
    const pool = createPool({ workers, timeLimit: 60_000, memory: 4096 })
    t.after(pool.close)
    const order: string[] = []
    const first = pool.run(light, owner).then(() => order.push('first'))
    const second = pool.run(light, owner).then(() => order.push('second'))
    await Promise.all([first, second])
    assert.deepEqual(order.sort(), ['first', 'second'])
  }
})

test('a text for which nobody waits leaves the queue, and its slot is free', async (t) => {
  const pool = createPool({ workers: 1, queue: 1 })
  t.after(pool.close)
  const running = pool.run(light, 'a')
  const gone = new AbortController()
  const waiting = pool.run(heavy, 'a', gone.signal)
  gone.abort()
  assert.match(problem(await waiting).log, /nobody waits/)
  const next = pool.run(light, 'a')
  assert.equal(html(await running), html(await next))
  assert.match(problem(await pool.run(light, 'a', gone.signal)).log, /nobody waits/)
})

test('a short text that a thread renders already is finished, although its caller has gone', async (t) => {
  const pool = createPool({ workers: 1 })
  t.after(pool.close)
  // The thread is there already, so that the text takes no time worth speaking of.
  await pool.run(light)
  const gone = new AbortController()
  const running = pool.run(light, 'a', gone.signal)
  gone.abort()
  assert.match(html(await running), /<em>/)
})

test('a long text that a thread renders is stopped when nobody waits for it', async (t) => {
  const pool = createPool({ workers: 1, timeLimit: 60_000, memory: 4096 })
  t.after(pool.close)
  const gone = new AbortController()
  const running = pool.run(heavy, 'a', gone.signal)
  gone.abort()
  assert.match(problem(await running).log, /nobody waits/)
  assert.match(html(await pool.run(light, 'a')), /<em>/)
})

test('in a full queue the owner with the most texts makes room, but not for one who would have as many', async (t) => {
  const pool = createPool({ workers: 1, queue: 3 })
  t.after(pool.close)
  const runs = [...'aaaabb'].map((owner) => pool.run(light, owner))
  const outcomes = await Promise.all(runs)
  assert.deepEqual(
    outcomes.map((outcome) => (!outcome.ok ? outcome.fault.reason : 'rendered')),
    ['rendered', 'rendered', 'rendered', 'busy', 'rendered', 'busy'],
  )
})

test('nobody makes room for a text that is too long by itself', async (t) => {
  const pool = createPool({ workers: 1, queueLength: 10 })
  t.after(pool.close)
  const runs = [...'aaa'].map((owner) => pool.run(light, owner))
  assert.equal(problem(await pool.run(requestOf('x'.repeat(11)), 'b')).reason, 'busy')
  for (const outcome of await Promise.all(runs)) assert.match(html(outcome), /<em>/)
})

test('a text that would make the waiting texts too long together is rejected', async (t) => {
  const pool = createPool({ workers: 1, queueLength: 10 })
  t.after(pool.close)
  const outcomes = await Promise.all([pool.run(light), pool.run(requestOf('x'.repeat(11))), pool.run(light)])
  assert.equal(problem(outcomes[1]).reason, 'busy')
  assert.equal(html(outcomes[0]), html(outcomes[2]))
})

test('a text that takes too long is given up and its thread replaced', async (t) => {
  // Enough for the start of a thread on a busy machine, and far from enough for the text.
  const pool = createPool({ workers: 1, timeLimit: 4000, memory: 4096 })
  t.after(pool.close)
  const endless = requestOf('- a\n'.repeat(400_000))
  const [slow, next] = await Promise.all([pool.run(endless), pool.run(light)])
  // On a machine that gives the thread no time it is `busy`.
  assert.match(problem(slow).reason, /^(?:timeout|busy)$/)
  assert.equal(html(next), '<p><em>x</em></p>\n')
})

test('a text that takes too much memory is given up and its thread replaced', async (t) => {
  const pool = createPool({ workers: 1, timeLimit: 60_000, memory: 100 })
  t.after(pool.close)
  assert.equal(problem(await pool.run(heavy)).reason, 'memory')
  assert.equal(html(await pool.run(light)), '<p><em>x</em></p>\n')
})

test('closing answers all callers, also later ones', async () => {
  const pool = createPool({ workers: 1 })
  const running = pool.run(heavy)
  const waiting = pool.run(light)
  await pool.close()
  const outcomes = [await running, await waiting, await pool.run(light)]
  assert.deepEqual(
    outcomes.map((outcome) => problem(outcome).reason),
    ['busy', 'busy', 'busy'],
  )
})

test('closing twice, or before the start, is not an error', async () => {
  const pool = createPool()
  await pool.close()
  await pool.close()
})
