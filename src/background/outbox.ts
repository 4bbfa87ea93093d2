import { messageOf } from '../common/errors.ts'
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
import type { Log } from '../log.ts'
import { createPoller, type Poller } from './recurring.ts'

/**
 * Handles events in the transaction that deletes them: it may write rows, but must not make calls or wait for anything
 * but the database. It ignores kinds of events that do not concern it, and calls no other consumer, but emits further
 * events for others. If it fails, it is called again with one event at a time.
 */
export type Consumer = (sql: Sql, events: readonly StoredEvent[], now: Date) => Promise<void>

/** What the outbox depends on. */
interface OutboxDeps {
  pool: Pool
  clock: () => Date
  log: Log
  consumers: readonly Consumer[]
  /** Called after each check: this process or another may have queued deliveries. */
  onDispatched: () => void
  /** Whether the database can notify processes; otherwise only commits of this process start a check. */
  listens: boolean
}

/** Milliseconds between checks of the outbox, in case notifications were lost. */
const pollDefault = 5_000

/** Maximum events of one transaction. */
const batchSize = 100

/** Milliseconds before an event is retried after a consumer has failed; the first delay and the maximum. */
const retryDelay = { first: 10_000, longest: 3_600_000 }

/** Dispatches events; several processes can do so at the same time, and each event is dispatched by one of them. */
export function createOutbox(parts: OutboxDeps, poll = pollDefault): Poller {
  const { pool, log, listens } = parts
  let isListening = false
  const work = async (isRunning: () => boolean) => {
    // Until none is due: events may follow from events.
    while (isRunning() && (await drainSome(parts)) > 0);
    parts.onDispatched()
  }
  const { wake, start } = createPoller({ task: 'drain the outbox', poll, log, work })

  /**
   * The driver itself listens again whenever its connection has closed, even before the first success; another call would
   * add a second listener. Polling finds events whose notifications were missed meanwhile.
   */
  function listen(): void {
    pool.listen(wakeChannel, wake, wake).catch((error: unknown) => {
      if (isListening) log.warn('cannot listen for events yet', { error: messageOf(error) })
    })
  }

  return {
    wake,
    start: () => {
      const { stop } = start()
      isListening = true
      if (listens) listen()
      return {
        stop: () => {
          isListening = false
          return stop()
        },
      }
    },
  }
}

/** Dispatches due events in one transaction; returns how many were due. Retries after serialization failures. */
function drainSome(parts: OutboxDeps): Promise<number> {
  const now = parts.clock()
  return retrySerialization(async () => await parts.pool.begin((sql) => dispatchDue(sql, parts, now)))
}

async function dispatchDue(sql: Transaction, parts: OutboxDeps, now: Date): Promise<number> {
  const events = await holdDueEvents(sql, batchSize, now)
  if (events.length === 0) return 0
  const dispatched =
    (await dispatchBatch(sql, parts, events, now)) ?? (await dispatchOneByOne(sql, parts, events, now))
  await deleteEvents(sql, dispatched)
  await notifyProcesses(sql)
  return events.length
}

/** The ids of all events, or undefined if one of them cannot be dispatched; in that case nothing was written. */
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
    // Dispatching them one by one will show which one failed, and why.
    return undefined
  }
}

/** The ids of the dispatched events; the others are postponed. */
async function dispatchOneByOne(
  sql: Transaction,
  parts: OutboxDeps,
  events: readonly StoredEvent[],
  now: Date,
): Promise<number[]> {
  const dispatched: number[] = []
  for (const event of events) {
    try {
      await sql.savepoint(async (inner) => {
        for (const consume of parts.consumers) await consume(inner, [event], now)
      })
      dispatched.push(event.id)
    } catch (error) {
      // The event did not cause this.
      if (isRetryable(error)) throw error
      const sentence = messageOf(error)
      await postponeEvent(sql, event.id, laterThan(now, event.failures), sentence)
      parts.log.error('cannot dispatch an event', { event: event.id, kind: event.kind, error: sentence })
    }
  }
  return dispatched
}

const laterThan = (now: Date, failures: number) =>
  new Date(now.getTime() + Math.min(retryDelay.first * 2 ** failures, retryDelay.longest))
