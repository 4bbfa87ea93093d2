import {
  deleteEvents,
  holdDueEvents,
  notifyProcesses,
  postponeEvent,
  type StoredEvent,
  wakeChannel,
} from '../db/events.ts'
import type { Pool, Sql } from '../db/sql.ts'
import type { Log } from '../log.ts'
import { every, type Running } from './every.ts'

/**
 * Makes what follows from an event, in the transaction that removes the event: it may write rows, and must neither call
 * out nor wait for anything but the database. Kinds that do not concern it are left alone.
 */
export type Consumer = (sql: Sql, event: StoredEvent, now: Date) => Promise<void>

/** What the outbox is drained with. */
export interface OutboxParts {
  pool: Pool
  clock: () => Date
  log: Log
  consumers: readonly Consumer[]
  /** Called when events have been spread: there may be something to send. */
  spread: () => void
  /** Whether the database can notify; else only commits of this process wake the drain. */
  listens: boolean
}

/** Milliseconds between two looks at the outbox, for notifications that were lost. */
const pollDefault = 5_000

/** Events of one transaction at most. */
const atOnce = 100

/** Milliseconds before an event is tried again that a consumer failed on, and the longest such time. */
const putOff = { first: 10_000, longest: 3_600_000 }

/** Drains the outbox; several processes do it side by side, and each event is spread by one of them. */
export interface Outbox {
  wake: () => void
  start: () => Running
}

export function createOutbox(parts: OutboxParts, poll = pollDefault): Outbox {
  const { pool, log, spread } = parts
  let state: 'idle' | 'running' | 'stopping' = 'idle'
  let draining: Promise<void> | undefined
  let again = false

  function drain(): Promise<void> {
    again = true
    draining ??= drainAll().finally(() => {
      draining = undefined
    })
    return draining
  }

  async function drainAll(): Promise<void> {
    while (again && state === 'running') {
      again = false
      const held = await drainSome(parts)
      if (held > 0) spread()
      if (held === atOnce) again = true
    }
  }

  function wake(): void {
    if (state !== 'running') return
    drain().catch((error: unknown) => {
      log.error('the outbox is held up', { error: error instanceof Error ? error.message : String(error) })
    })
  }

  /** A notification may tell of events, or of deliveries that another process has made of them. */
  function hear(): void {
    wake()
    if (state === 'running') spread()
  }

  return {
    wake,
    start: () => {
      state = 'running'
      const running = [every(poll, 'drain the outbox', log, drain)]
      if (parts.listens) running.push(listenForever(pool, log, hear))
      return {
        stop: async () => {
          state = 'stopping'
          await Promise.all(running.map((each) => each.stop()))
          await draining?.catch(() => {})
        },
      }
    },
  }
}

/** Spreads due events in one transaction; gives how many were due. */
async function drainSome({ pool, clock, log, consumers }: OutboxParts): Promise<number> {
  const now = clock()
  return await pool.begin(async (sql) => {
    const events = await holdDueEvents(sql, atOnce, now)
    const done: number[] = []
    for (const event of events) {
      try {
        // A savepoint, so that one event that cannot be spread does not hold up the others.
        await sql.savepoint(async (inner) => {
          for (const consume of consumers) await consume(inner, event, now)
        })
        done.push(event.id)
      } catch (error) {
        const sentence = error instanceof Error ? error.message : String(error)
        await postponeEvent(sql, event.id, laterThan(now, event.failures), sentence)
        log.error('an event cannot be spread', { event: event.id, kind: event.kind, error: sentence })
      }
    }
    if (done.length > 0) {
      await deleteEvents(sql, done)
      await notifyProcesses(sql)
    }
    return events.length
  })
}

const laterThan = (now: Date, failures: number) =>
  new Date(now.getTime() + Math.min(putOff.first * 2 ** failures, putOff.longest))

/** Listens, and comes back by itself: the driver does after the first success, we do before it. */
function listenForever(pool: Pool, log: Log, hear: () => void): Running {
  const first = every(5_000, 'listen for events', log, async () => {
    await pool.listen(wakeChannel, hear, hear)
    void first.stop()
  })
  return first
}
