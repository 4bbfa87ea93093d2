import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimLimits } from '../../../../src/forge/webhooks/delivery/claim-limits.ts'

const running = (owner_id: number, hook_id: number, count: number) =>
  Array.from({ length: count }, () => ({ owner_id, hook_id }))

for (const [slots, free, reserved, each] of [
  [0, 0, 0, 0],
  [1, 1, 0, 1],
  [2, 2, 0, 1],
  [40, 40, 10, 10],
] as const) {
  test(`of ${slots} free slots, ${reserved} are for owners who have none, and a hook gets ${each}`, () => {
    assert.deepEqual(claimLimits([], slots), { free, reserved, each, busy: [], passOver: [] })
  })
}

test('an owner gets half of the slots, and each of its hooks a quarter', () => {
  const limits = claimLimits([...running(1, 11, 10), ...running(1, 12, 4), ...running(2, 21, 3)], 40)
  assert.deepEqual(limits, {
    free: 23,
    reserved: 10,
    each: 10,
    busy: [
      { owner: 1, running: 14, room: 6 },
      { owner: 2, running: 3, room: 7 },
    ],
    passOver: [11],
  })
  const full = claimLimits([...running(1, 11, 10), ...running(1, 12, 10)], 40)
  assert.deepEqual([full.busy, full.passOver], [[{ owner: 1, running: 20, room: 0 }], [11, 12]])
})
