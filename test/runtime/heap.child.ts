import { getHeapSpaceStatistics } from 'node:v8'
import { keepHeapSmall } from '../../src/runtime/heap.ts'
import { turns } from '../support/wait.ts'

// Prints how large the nursery has become, in megabytes of both its halves, when all that V8 looks at made it grow.

keepHeapSmall()
const living: object[][] = []
for (let round = 0; round < 300; round++) {
  // What lives for a while is what lets it grow.
  living.push(Array.from({ length: 20_000 }, (_, at) => ({ at, round })))
  if (living.length > 20) living.shift()
  await turns(1)
}
const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
console.log((space?.space_size ?? 0) / 1024 ** 2)
