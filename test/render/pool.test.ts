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

test('what finds the queue full is refused at once, what waits is rendered', async (t) => {
  const pool = createPool({ workers: 1, queue: 1 })
  t.after(pool.close)
  const outcomes = await Promise.all([pool.run(light), pool.run(light), pool.run(light)])
  assert.equal(html(outcomes[0]), html(outcomes[1]))
  assert.equal(problem(outcomes[2]).reason, 'busy')
})

test('owners take turns: who asks once does not wait for all that another asks', async (t) => {
  const pool = createPool({ workers: 1 })
  t.after(pool.close)
  const order: string[] = []
  const asked = [...'aaaaaab'].map((owner) => pool.run(light, owner).then(() => order.push(owner)))
  await Promise.all(asked)
  assert.equal(order.join(''), 'aabaaaa')
})

test('in a full queue whoever has most makes room, but not for one who would have as many', async (t) => {
  const pool = createPool({ workers: 1, queue: 3 })
  t.after(pool.close)
  const asked = [...'aaaabb'].map((owner) => pool.run(light, owner))
  const outcomes = await Promise.all(asked)
  assert.deepEqual(
    outcomes.map((outcome) => ('problem' in outcome ? outcome.problem.reason : 'rendered')),
    ['rendered', 'rendered', 'rendered', 'busy', 'rendered', 'busy'],
  )
})

test('nobody makes room for a text that is too long by itself', async (t) => {
  const pool = createPool({ workers: 1, queueLength: 10 })
  t.after(pool.close)
  const asked = [...'aaa'].map((owner) => pool.run(light, owner))
  assert.equal(problem(await pool.run(requestOf('x'.repeat(11)), 'b')).reason, 'busy')
  for (const outcome of await Promise.all(asked)) assert.match(html(outcome), /<em>/)
})

test('what would make the waiting texts too long together is refused', async (t) => {
  const pool = createPool({ workers: 1, queueLength: 10 })
  t.after(pool.close)
  const outcomes = await Promise.all([pool.run(light), pool.run(requestOf('x'.repeat(11))), pool.run(light)])
  assert.equal(problem(outcomes[1]).reason, 'busy')
  assert.equal(html(outcomes[0]), html(outcomes[2]))
})

test('a text that takes too long is given up and its thread replaced', async (t) => {
  const pool = createPool({ workers: 1, timeLimit: 1000, memory: 4096 })
  t.after(pool.close)
  const [slow, next] = await Promise.all([pool.run(heavy), pool.run(light)])
  assert.equal(problem(slow).reason, 'timeout')
  assert.equal(html(next), '<p><em>x</em></p>\n')
})

test('a text that takes too much memory is given up and its thread replaced', async (t) => {
  const pool = createPool({ workers: 1, timeLimit: 60_000, memory: 100 })
  t.after(pool.close)
  assert.equal(problem(await pool.run(heavy)).reason, 'memory')
  assert.equal(html(await pool.run(light)), '<p><em>x</em></p>\n')
})

test('closing answers everybody, and whoever comes later', async () => {
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

test('closing twice, or what never started, is no fault', async () => {
  const pool = createPool()
  await pool.close()
  await pool.close()
})
