import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getHeapSpaceStatistics } from 'node:v8'
import { keepHeapSmall } from '../src/heap.ts'
import { turns } from './support/wait.ts'

/** Megabytes of both halves of the nursery. */
function nursery(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return (space?.space_size ?? 0) / 1024 ** 2
}

test('the nursery of a server that has come up stops at half of what V8 would give it', async () => {
  keepHeapSmall()
  const living: object[][] = []
  for (let round = 0; round < 300; round++) {
    // What lives for a while is what lets the nursery grow.
    living.push(Array.from({ length: 20_000 }, (_, at) => ({ at, round })))
    if (living.length > 20) living.shift()
    await turns(1)
  }
  assert.ok(nursery() > 14 && nursery() < 18, `${nursery()} MB`)
})
