import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the memory of a server that has come up near what it really uses. V8 would let its nursery grow to 16 MB per half,
 * and the rest to a multiple of what survives, before it looks for garbage: after a burst of requests that is twice the
 * memory for hardly any speed (`npm run bench -- memory`). Both settings are read at each collection, so they
 * may change at any time; there are no options of the command line to forget.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=30')
}
