import { setMaxListeners } from 'node:events'
import { lease } from '../../../background/claim.ts'
import { every, type Running } from '../../../background/every.ts'
import { oneAtATime } from '../../../background/one-at-a-time.ts'
import { retryUntilAvailable } from '../../../background/retry-until-available.ts'
import type { Pool } from '../../../db/sql.ts'
import { messageOf } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { deliver, type Sender } from './deliver.ts'
import {
  type Attempt,
  type ClaimedDelivery,
  claimDeliveries,
  finishAttempt,
  type NextAttempt,
  releaseDeliveries,
} from './deliveries.ts'

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

/** How long a free place may wait for others, in milliseconds. */
const shareFor = 10

/** Sends what is due, again and again. */
export class Dispatcher {
  readonly #options: DispatchOptions
  readonly #flights = new Map<ClaimedDelivery, Promise<void>>()
  readonly #stop = new AbortController()
  #state: 'idle' | 'running' | 'stopping' = 'idle'
  #soon: NodeJS.Timeout | undefined

  constructor(
    readonly parts: { pool: Pool; log: Log; sender: Sender },
    options: Partial<DispatchOptions> = {},
  ) {
    this.#options = { ...dispatchDefaults, ...options }
    // Each attempt listens while it lasts; Node takes more than ten for a leak.
    setMaxListeners(0, this.#stop.signal)
  }

  /** Looks for what is due now; does nothing before the start and after the stop. */
  wake = (): void => {
    clearTimeout(this.#soon)
    this.#soon = undefined
    if (this.#state === 'running') this.#look().catch((error: unknown) => this.#complain(error))
  }

  start(): Running {
    this.#state = 'running'
    const polling = every(this.#options.poll, 'deliver webhooks', this.parts.log, this.#look)
    return { stop: () => this.#stopAll(polling) }
  }

  async #stopAll(polling: Running): Promise<void> {
    this.#state = 'stopping'
    clearTimeout(this.#soon)
    await polling.stop()
    await this.#look().catch(() => {})
    const timer = setTimeout(() => this.#stop.abort(), this.#options.grace)
    await Promise.all(this.#flights.values())
    clearTimeout(timer)
    for (const agent of Object.values(this.parts.sender.agents)) agent.destroy()
  }

  readonly #look = oneAtATime(async () => {
    while (this.#state === 'running' && this.#flights.size < this.#options.atOnce) {
      const claimed = await this.#claimSome()
      for (const delivery of claimed) this.#launch(delivery)
      if (claimed.length === 0) break
    }
  })

  /** No hook ever has more than half of the places, so that one whose receiver hangs leaves room for others. */
  #claimSome(): Promise<ClaimedDelivery[]> {
    const { pool, sender } = this.parts
    const { atOnce } = this.#options
    const share = Math.ceil(atOnce / 2)
    const counts = countByHook(this.#flights.keys())
    const crowded = [...counts].filter(([, count]) => count >= share).map(([id]) => id)
    const most = Math.max(0, ...[...counts.values()].filter((count) => count < share))
    const now = sender.clock()
    return claimDeliveries(pool, {
      // They may all be of one hook.
      limit: Math.min(atOnce - this.#flights.size, share - most),
      now,
      // No signs of life are needed: an attempt has a bound.
      until: new Date(now.getTime() + sender.timeout + lease),
      passOver: crowded,
    })
  }

  #launch(delivery: ClaimedDelivery): void {
    const flight = this.#attempt(delivery).finally(() => {
      this.#flights.delete(delivery)
      this.#lookSoon()
    })
    this.#flights.set(delivery, flight)
  }

  /** A look for each place that becomes free would cost more than the sending: a few of them share one. */
  #lookSoon(): void {
    if (this.#flights.size <= this.#options.atOnce / 2) this.wake()
    else this.#soon ??= setTimeout(this.wake, shareFor)
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { pool, log, sender } = this.parts
    // Stopped after the claim, for so long that others may be at it by the end of an attempt.
    if (this.#hasLost(delivery, sender.timeout)) return
    try {
      const made = await deliver(delivery, sender, this.#stop.signal)
      const outlook = outlookOf(delivery, made, sender.clock(), this.#options.backoff)
      // What is not on record is sent again.
      const held = await retryUntilAvailable(
        () => finishAttempt(pool, sender.secrets, delivery, made, outlook),
        () => this.#stop.signal.aborted || this.#hasLost(delivery),
      )
      report(log, delivery, made, held ? outlook.state : 'lost')
    } catch (error) {
      if (!this.#stop.signal.aborted) return this.#complain(error)
      await releaseDeliveries(pool, [delivery], sender.clock()).catch((cause: unknown) =>
        this.#complain(cause),
      )
    }
  }

  /** Whether others may take a delivery so many milliseconds from now. */
  #hasLost({ due_at }: ClaimedDelivery, later = 0): boolean {
    return this.parts.sender.clock().getTime() + later >= Date.parse(due_at)
  }

  #complain(error: unknown): void {
    this.parts.log.error('webhook deliveries are held up', { error: messageOf(error) })
  }
}

/** How many attempts each hook has under way. */
function countByHook(flights: Iterable<ClaimedDelivery>): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { hook_id } of flights) counts.set(hook_id, (counts.get(hook_id) ?? 0) + 1)
  return counts
}

function outlookOf(
  { active, attempts }: ClaimedDelivery,
  { status }: Attempt,
  at: Date,
  backoff: readonly number[],
): NextAttempt {
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
  state: NextAttempt['state'] | 'lost',
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
