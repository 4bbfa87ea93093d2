import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RateLimiter } from '../../src/limiter/rate-limiter.ts'

const at = (milliseconds: number) => new Date(1_700_000_000_000 + milliseconds)

test('all of an amount may come at once, then one unit after another', () => {
  const limiter = new RateLimiter<string>({ amount: 3, milliseconds: 1000 })
  const taken = [0, 0, 0, 0].map((time) => limiter.take('a', at(time)))
  assert.deepEqual(taken.slice(0, 3), [0, 0, 0])
  assert.ok(Math.abs((taken[3] ?? 0) - 1000 / 3) < 0.001, `${taken[3]}`)
  assert.ok(limiter.take('a', at(333)) > 0)
  assert.equal(limiter.take('a', at(334)), 0)
  assert.ok(limiter.take('a', at(335)) > 0)
  assert.equal(limiter.take('b', at(335)), 0)
})

test('a clock that was set back locks nobody out for longer than the time of the rate', () => {
  const limiter = new RateLimiter<string>({ amount: 1, milliseconds: 1000 })
  assert.equal(limiter.take('a', at(3_600_000)), 0)
  assert.equal(limiter.take('a', at(0)), 1000)
})

test('no client gets more than the amount and what has come back since', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 60 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), steps, (amount, pauses) => {
      const limiter = new RateLimiter<string>({ amount, milliseconds: 1000 })
      let [now, got] = [0, 0]
      for (const pause of pauses) {
        now += pause
        if (limiter.take('a', at(now)) === 0) got++
      }
      const first = pauses[0] ?? 0
      assert.ok(got <= amount + ((now - first) * amount) / 1000 + 1e-6)
      assert.ok(pauses.length === 0 || got >= 1)
    }),
  )
})
