import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool } from '../../../src/db/sql.ts'
import { type Usage, usages } from '../../../src/limiter/usage.ts'

/** Work for which only transactions wait. */
const held: readonly string[] = ['git-held']

/**
 * Notes which bounded work (pushes, threads, passwords and others) is asked for inside of a transaction: whoever holds a
 * connection must not wait for a place, whose holder may wait for a connection.
 */
export function watchSlots() {
  const inTransaction = new AsyncLocalStorage<true>()
  const faults = new Set<string>()

  function watchMember(kind: string, usage: Usage, member: 'running' | 'waiting'): void {
    let value = usage[member]
    const set = (next: number) => {
      if (next > value && inTransaction.getStore())
        faults.add(`${kind} ${new Error('in a transaction').stack}`)
      value = next
    }
    Object.defineProperty(usage, member, { get: () => value, set, configurable: true, enumerable: true })
  }

  return {
    /** The same pool, whose transactions are known. */
    watched: (given: Pool): Pool => {
      const begin = (work: (tx: never) => Promise<unknown>) =>
        given.begin((tx) => inTransaction.run(true, () => work(tx as never)))
      return new Proxy(given, {
        get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
      })
    },
    /** From now on; every kind of work must be known by then. */
    start: () => {
      for (const [kind, usage] of usages) {
        if (held.includes(kind)) continue
        watchMember(kind, usage, 'running')
        watchMember(kind, usage, 'waiting')
      }
    },
    faults: () => [...faults],
  }
}
