import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Bytes of the nursery, in which new objects are made, with both its halves. */
const nursery = 16 * 1024 * 1024

/**
 * Keeps the memory of a server that has come up nearer to what it really uses. V8 would let the heap grow to a multiple of
 * what survives before it looks for garbage, and the nursery to 32 MB. Both settings are read whenever something grows,
 * so they may change at any time; there are no options of the command line to forget. Half of the nursery costs a write
 * a little processor time, a quarter of it more. Threads that start while it is stopped keep the nursery that they begin
 * with, of 1 MB.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=30')
  let factor = 2
  const collections = new PerformanceObserver(() => {
    // V8 makes it smaller again when there is little to do, so it has to be free to grow.
    const next = nurserySize() < nursery ? 2 : 1
    if (next !== factor) setFlagsFromString(`--semi-space-growth-factor=${next}`)
    factor = next
  })
  collections.observe({ entryTypes: ['gc'] })
}

function nurserySize(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
}
