import { isRetryable, retrySerialization } from '../db/begin.ts'
import {
  deleteEvents,
  holdDueEvents,
  notifyProcesses,
  postponeEvent,
  type StoredEvent,
  wakeChannel,
} from '../db/outbox-events.ts'
import type { Pool, Sql, Transaction } from '../db/sql.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { every, type Running } from './every.ts'
import { oneAtATime } from './one-at-a-time.ts'

/**
 * Makes what follows from events, in the transaction that removes them: it may write rows, and must neither call out nor
 * wait for anything but the database. Kinds that do not concern it are left alone. When it fails, it is called again
 * with one event at a time.
 */
export type Consumer = (sql: Sql, events: readonly StoredEvent[], now: Date) => Promise<void>

/** What the outbox is drained with. */
export interface OutboxDeps {
  pool: Pool
  clock: () => Date
  log: Log
  consumers: readonly Consumer[]
  /** Called after each look: this process or another may have queued something to send. */
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

export function createOutbox(parts: OutboxDeps, poll = pollDefault): Outbox {
  const { pool, log, spread } = parts
  let state: 'idle' | 'running' | 'stopping' = 'idle'
  const drain = oneAtATime(async () => {
    while (state === 'running' && (await drainSome(parts)) === atOnce);
    spread()
  })

  function wake(): void {
    if (state !== 'running') return
    drain().catch((error: unknown) => {
      log.error('the outbox is held up', { error: messageOf(error) })
    })
  }

  /**
   * The driver listens anew whenever its connection for that has closed, be it before the first success, and each further
   * call of ours would add a listener. What is missed meanwhile the polls find.
   */
  function listen(): void {
    pool.listen(wakeChannel, wake, wake).catch((error: unknown) => {
      if (state === 'running') log.warn('not listening for events yet', { error: messageOf(error) })
    })
  }

  return {
    wake,
    start: () => {
      state = 'running'
      const polls = every(poll, 'drain the outbox', log, drain)
      if (parts.listens) listen()
      return {
        stop: async () => {
          state = 'stopping'
          await polls.stop()
          await drain().catch(() => {})
        },
      }
    },
  }
}

/** Spreads due events in one transaction; gives how many were due. What was given up for others begins again. */
function drainSome(parts: OutboxDeps): Promise<number> {
  const now = parts.clock()
  return retrySerialization(async () => await parts.pool.begin((sql) => spreadDue(sql, parts, now)))
}

async function spreadDue(sql: Transaction, parts: OutboxDeps, now: Date): Promise<number> {
  const events = await holdDueEvents(sql, atOnce, now)
  if (events.length === 0) return 0
  const done =
    (await dispatchBatch(sql, parts, events, now)) ?? (await spreadOneByOne(sql, parts, events, now))
  await deleteEvents(sql, done)
  await notifyProcesses(sql)
  return events.length
}

/** The ids of all of them, or undefined when one of them cannot be spread; then nothing was written. */
async function dispatchBatch(
  sql: Transaction,
  { consumers }: OutboxDeps,
  events: readonly StoredEvent[],
  now: Date,
): Promise<number[] | undefined> {
  try {
    await sql.savepoint(async (inner) => {
      for (const consume of consumers) await consume(inner, events, now)
    })
    return events.map(({ id }) => id)
  } catch (error) {
    if (isRetryable(error)) throw error
    // Which one it is, and why, is found out one by one.
    return undefined
  }
}

/** The ids of those that were spread; the others are put off. */
async function spreadOneByOne(
  sql: Transaction,
  parts: OutboxDeps,
  events: readonly StoredEvent[],
  now: Date,
): Promise<number[]> {
  const done: number[] = []
  for (const event of events) {
    try {
      await sql.savepoint(async (inner) => {
        for (const consume of parts.consumers) await consume(inner, [event], now)
      })
      done.push(event.id)
    } catch (error) {
      // No fault of the event.
      if (isRetryable(error)) throw error
      const sentence = messageOf(error)
      await postponeEvent(sql, event.id, laterThan(now, event.failures), sentence)
      parts.log.error('an event cannot be spread', { event: event.id, kind: event.kind, error: sentence })
    }
  }
  return done
}

const laterThan = (now: Date, failures: number) =>
  new Date(now.getTime() + Math.min(putOff.first * 2 ** failures, putOff.longest))
