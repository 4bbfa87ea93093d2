import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FailureCounts } from '../../../src/forge/auth/failure-counts.ts'

const start = Date.parse('2026-01-31T08:00:00Z')
const at = (seconds: number) => new Date(start + seconds * 1000)

function failed(times: number, key = 'a'): FailureCounts {
  const counts = new FailureCounts({ failures: 3, forgottenAfter: 10_000 })
  for (let time = 0; time < times; time++) counts.add(key, at(0))
  return counts
}

for (const [failures, seconds, wait] of [
  [0, 0, 0],
  [2, 0, 0],
  [3, 0, 10_000],
  [3, 4, 6000],
  [3, 10, 0],
  [4, 0, 20_000],
  [4, 20, 0],
  [9, 0, 70_000],
  [1000, 0, 70_000],
] as const) {
  test(`${failures} failures make wait ${wait} ms after ${seconds} s`, () => {
    assert.equal(failed(failures).wait('a', at(seconds)), wait)
  })
}

test('keys are counted separately, a cleared one anew, and `allowed` lowers the limit', () => {
  const counts = failed(3)
  assert.equal(counts.wait('b', at(0)), 0)
  counts.clear('a')
  assert.equal(counts.wait('a', at(0)), 0)
  assert.equal(failed(1).wait('a', at(0), 1), 10_000)
})

test('add() returns true when a limit is reached, and when it is reached again', () => {
  const counts = failed(0)
  assert.deepEqual(
    [0, 0, 0, 0, 60].map((seconds) => counts.add('a', at(seconds))),
    [false, false, true, false, false],
  )
})

test('a clock that is set back does not lengthen the wait', () => {
  assert.equal(failed(3).wait('a', at(-3600)), 10_000)
})

test('what is counted is bounded: the oldest are forgotten', () => {
  const counts = failed(3)
  for (let key = 0; key < 9_999; key++) counts.add(String(key), at(0))
  assert.equal(counts.wait('a', at(0)), 10_000)
  counts.add('one more', at(0))
  assert.equal(counts.wait('a', at(0)), 0)
})

test('a count begins to be forgotten at once when the clock was set back', () => {
  const counts = failed(3)
  assert.equal(counts.wait('a', at(-3600)), 10_000)
  assert.equal(counts.wait('a', at(-3590)), 0)
})
