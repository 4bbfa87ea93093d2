import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../src/db/sql.ts'

/**
 * Longest wait of a test for something that must happen, in milliseconds: long enough for a machine on which twenty
 * others want the same processor. It is waited out only when a test fails.
 */
export const longest = 240_000

/**
 * Waits until `condition` gives something true, and gives that; asks again every few milliseconds.
 * @throws Error naming `what` when it does not come true within the bound
 */
export async function until<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  bound = longest,
): Promise<Exclude<Value, false | 0 | '' | null | undefined>> {
  const end = performance.now() + bound
  for (;;) {
    const value = await condition()
    if (value) return value as Exclude<Value, false | 0 | '' | null | undefined>
    if (performance.now() > end) throw new Error(`Waited ${bound} ms in vain until ${what}`)
    await sleep(5)
  }
}

/** Waits until a statement waits for a lock, on a PostgreSQL server. */
export const untilLocked = (pool: Pool, what: string) =>
  until(what, async () => {
    const waiting = await pool`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length > 0
  })

/** A promise that a test settles when it likes. */
export interface Held<Value> {
  promise: Promise<Value>
  resolve: (value: Value) => void
  reject: (error: unknown) => void
}

export function held<Value>(): Held<Value> {
  let resolve: (value: Value) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** Lets everything that can run now run: promises, and what waits for the next turn of the event loop. */
export async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
