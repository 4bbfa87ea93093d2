import { executionAsyncResource } from 'node:async_hooks'

/** Records of process.nextTick that live as long as the process. */
const held: object[] = []

/**
 * Keeps process.nextTick fast; to be called first of all. Node writes the records of its ticks with computed keys. V8 (11.3,
 * of Node 20) remembers the shape of such records weakly, and only the first one it saw: when a collection comes at a
 * moment without ticks, the shape is forgotten, and from then on each tick takes the slow path. One record that stays
 * alive keeps the shape alive.
 */
export function keepTicksFast(): void {
  process.nextTick(() => held.push(executionAsyncResource()))
}
