import type { Pool } from '../db/sql.ts'
import type { Log } from '../log.ts'
import { deliver, type Sender } from './deliver.ts'
import {
  type Attempt,
  type ClaimedDelivery,
  claimDeliveries,
  finishAttempt,
  type Outlook,
  releaseDeliveries,
} from './deliveries.ts'
import { every, type Running } from './every.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** How deliveries are dispatched. */
export interface DispatchOptions {
  /** Attempts under way at once, in this process. */
  atOnce: number
  /** Milliseconds between an attempt that failed and the next; as many more attempts as there are numbers. */
  backoff: readonly number[]
  /** Milliseconds between two looks for what is due. */
  poll: number
  /** Milliseconds that attempts may still take when the process stops. */
  grace: number
}

export const dispatchDefaults: DispatchOptions = {
  atOnce: 20,
  backoff: [10_000, 60_000, 600_000, 3_600_000, 21_600_000],
  poll: 5_000,
  grace: 500,
}

/** Beyond its longest attempt, this long a process may be silent before its deliveries go to others, in milliseconds. */
const lease = 60_000

/** How long a free place may wait for others, in milliseconds. */
const shareFor = 10

/** Sends what is due, again and again. */
export interface Dispatcher {
  /** Looks for what is due now. */
  wake: () => void
  start: () => Running
}

export function createDispatcher(
  { pool, log, sender }: { pool: Pool; log: Log; sender: Sender },
  given: Partial<DispatchOptions> = {},
): Dispatcher {
  const options = { ...dispatchDefaults, ...given }
  const flights = new Map<ClaimedDelivery, Promise<void>>()
  const stop = new AbortController()
  let state: 'idle' | 'running' | 'stopping' = 'idle'
  let soon: NodeJS.Timeout | undefined

  const look = oneAtATime(async () => {
    while (state === 'running' && flights.size < options.atOnce) {
      const claimed = await claimSome()
      for (const delivery of claimed) launch(delivery)
      if (claimed.length === 0) break
    }
  })

  /** A look for each place that becomes free would cost more than the sending: a few of them share one. */
  function lookSoon(): void {
    if (flights.size <= options.atOnce / 2) wake()
    else soon ??= setTimeout(wake, shareFor)
  }

  function claimSome(): Promise<ClaimedDelivery[]> {
    const now = sender.clock()
    return claimDeliveries(pool, {
      // Never all places in one go, so that a hook whose receiver hangs cannot take them all.
      limit: Math.min(options.atOnce - flights.size, Math.ceil(options.atOnce / 2)),
      now,
      until: new Date(now.getTime() + sender.timeout + lease),
      passOver: crowded([...flights.keys()], options.atOnce / 2),
    })
  }

  function launch(delivery: ClaimedDelivery): void {
    const flight = attempt(delivery).finally(() => {
      flights.delete(delivery)
      lookSoon()
    })
    flights.set(delivery, flight)
  }

  async function attempt(delivery: ClaimedDelivery): Promise<void> {
    try {
      const made = await deliver(delivery, sender, stop.signal)
      const outlook = outlookOf(delivery, made, sender.clock(), options.backoff)
      const held = await finishAttempt(pool, delivery, made, outlook)
      report(log, delivery, made, held ? outlook.state : 'lost')
    } catch (error) {
      if (stop.signal.aborted) await releaseDeliveries(pool, [delivery], sender.clock()).catch(complain)
      else complain(error)
    }
  }

  function complain(error: unknown): void {
    log.error('webhook deliveries are held up', {
      error: error instanceof Error ? error.message : String(error),
    })
  }

  function wake(): void {
    clearTimeout(soon)
    soon = undefined
    if (state === 'running') look().catch(complain)
  }

  async function stopAll(polling: Running): Promise<void> {
    state = 'stopping'
    clearTimeout(soon)
    await polling.stop()
    await look().catch(() => {})
    const timer = setTimeout(() => stop.abort(), options.grace)
    await Promise.all(flights.values())
    clearTimeout(timer)
    for (const agent of Object.values(sender.agents)) agent.destroy()
  }

  return {
    wake,
    start: () => {
      state = 'running'
      const polling = every(options.poll, 'deliver webhooks', log, look)
      return { stop: () => stopAll(polling) }
    },
  }
}

/** The hooks that have at least `most` attempts under way. */
function crowded(flights: readonly ClaimedDelivery[], most: number): number[] {
  const counts = new Map<number, number>()
  for (const { hook_id } of flights) counts.set(hook_id, (counts.get(hook_id) ?? 0) + 1)
  return [...counts].filter(([, count]) => count >= most).map(([id]) => id)
}

function outlookOf(
  { active, attempts }: ClaimedDelivery,
  { status }: Attempt,
  at: Date,
  backoff: readonly number[],
): Outlook {
  if (status !== null && status >= 200 && status < 300) return { state: 'succeeded', at }
  const wait = active ? backoff[attempts] : undefined
  return wait === undefined
    ? { state: 'failed', at }
    : { state: 'waiting', dueAt: new Date(at.getTime() + wait) }
}

/** The address is not logged: those of chats are secrets in themselves. */
function report(
  log: Log,
  delivery: ClaimedDelivery,
  attempt: Attempt,
  state: Outlook['state'] | 'lost',
): void {
  const fields = {
    hook: delivery.hook_id,
    delivery: delivery.uuid,
    event: delivery.event_type,
    attempt: delivery.attempts + 1,
    state,
    status: attempt.status,
    ms: attempt.milliseconds,
    error: attempt.error,
  }
  if (state === 'failed' || state === 'lost') log.warn('webhook', fields)
  else log.debug('webhook', fields)
}
