import { setMaxListeners } from 'node:events'
import { lease } from '../../../background/claim.ts'
import { createPoller, type Poller, type Running } from '../../../background/recurring.ts'
import { retryUntilAvailable } from '../../../background/retry-until-available.ts'
import { messageOf } from '../../../common/errors.ts'
import type { Pool } from '../../../db/sql.ts'
import type { Log } from '../../../log.ts'
import { claimLimits } from './claim-limits.ts'
import { deliver, type Sender } from './deliver.ts'
import {
  type Attempt,
  type ClaimedDelivery,
  claimDeliveries,
  finishAttempt,
  type NextAttempt,
  releaseDeliveries,
} from './delivery-store.ts'

/** How deliveries are dispatched. */
export interface DispatchOptions {
  /** Maximum number of concurrent attempts in this process. */
  maxConcurrent: number
  /** Milliseconds between a failed attempt and the next; its length is the maximum number of further attempts. */
  backoff: readonly number[]
  /** Milliseconds between two polls for due deliveries. */
  poll: number
  /** Milliseconds that running attempts get to finish when the process stops. */
  grace: number
}

export const dispatchDefaults: DispatchOptions = {
  maxConcurrent: 40,
  backoff: [10_000, 60_000, 600_000, 3_600_000, 21_600_000],
  poll: 5_000,
  grace: 500,
}

/** Attempts of this process since its start, by what became of the delivery, and their time; for `src/metrics`. */
export const attemptCounts = {
  running: 0,
  seconds: 0,
  states: { succeeded: 0, waiting: 0, failed: 0, lost: 0 },
}

/** How long a free slot waits for further ones before deliveries are claimed, in milliseconds. */
const CLAIM_DELAY = 10

/** Claims due deliveries and sends them. */
export class Dispatcher {
  readonly #options: DispatchOptions
  readonly #inFlight = new Map<ClaimedDelivery, Promise<void>>()
  readonly #stop = new AbortController()
  readonly #poller: Poller
  #claimTimer: NodeJS.Timeout | undefined

  constructor(
    readonly deps: { pool: Pool; log: Log; sender: Sender },
    options: Partial<DispatchOptions> = {},
  ) {
    this.#options = { ...dispatchDefaults, ...options }
    // Each running attempt adds a listener; by default Node warns of a leak at more than ten.
    setMaxListeners(0, this.#stop.signal)
    const { poll } = this.#options
    const work = (isRunning: () => boolean) => this.#claimDue(isRunning)
    this.#poller = createPoller({ task: 'deliver webhooks', poll, log: deps.log, work })
  }

  /** Claims what is due now; does nothing before start and after stop. */
  wake = (): void => {
    clearTimeout(this.#claimTimer)
    this.#claimTimer = undefined
    this.#poller.wake()
  }

  start(): Running {
    const polling = this.#poller.start()
    return { stop: () => this.#stopAll(polling) }
  }

  async #stopAll(polling: Running): Promise<void> {
    clearTimeout(this.#claimTimer)
    await polling.stop()
    const timer = setTimeout(() => this.#stop.abort(), this.#options.grace)
    await Promise.all(this.#inFlight.values())
    clearTimeout(timer)
    for (const agent of Object.values(this.deps.sender.agents)) agent.destroy()
  }

  async #claimDue(isRunning: () => boolean): Promise<void> {
    while (isRunning() && this.#inFlight.size < this.#options.maxConcurrent) {
      const claimed = await this.#claimSome()
      for (const delivery of claimed) this.#launch(delivery)
      if (claimed.length === 0) break
    }
  }

  #claimSome(): Promise<ClaimedDelivery[]> {
    const { pool, sender } = this.deps
    const now = sender.clock()
    return claimDeliveries(pool, {
      ...claimLimits([...this.#inFlight.keys()], this.#options.maxConcurrent),
      now,
      // The claim needs no renewal, because an attempt has a maximum duration.
      until: new Date(now.getTime() + sender.timeout + lease),
    })
  }

  #launch(delivery: ClaimedDelivery): void {
    attemptCounts.running++
    const running = this.#attempt(delivery).finally(() => {
      attemptCounts.running--
      this.#inFlight.delete(delivery)
      this.#claimSoon()
    })
    this.#inFlight.set(delivery, running)
  }

  /**
   * Claiming for each free slot would cost more than sending, so while most slots are busy a few are claimed together.
   */
  #claimSoon(): void {
    if (this.#inFlight.size <= this.#options.maxConcurrent / 2) this.wake()
    else this.#claimTimer ??= setTimeout(this.wake, CLAIM_DELAY)
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { pool, log, sender } = this.deps
    // The process was suspended after the claim; other processes could claim the delivery before this attempt ends.
    if (this.#isClaimOver(delivery, sender.timeout)) return
    try {
      const attempt = await deliver(delivery, sender, this.#stop.signal)
      const next = nextAttempt(delivery, attempt, sender.clock(), this.#options.backoff)
      // An attempt that is not recorded is made again, so this retries.
      const recorded = await retryUntilAvailable(
        () => finishAttempt(pool, sender.secrets, delivery, attempt, next),
        () => this.#stop.signal.aborted || this.#isClaimOver(delivery),
      )
      report(log, delivery, attempt, recorded ? next.state : 'lost')
    } catch (error) {
      if (!this.#stop.signal.aborted) return this.#logError(error)
      await releaseDeliveries(pool, [delivery], sender.clock()).catch((cause: unknown) =>
        this.#logError(cause),
      )
    }
  }

  /** Whether the claim of a delivery expires within `inMs` milliseconds. */
  #isClaimOver({ due_at }: ClaimedDelivery, inMs = 0): boolean {
    return this.deps.sender.clock().getTime() + inMs >= Date.parse(due_at)
  }

  #logError(error: unknown): void {
    this.deps.log.error('webhook deliveries are delayed', { error: messageOf(error) })
  }
}

function nextAttempt(
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

/** Does not log the address: that of a chat is a secret. */
function report(
  log: Log,
  delivery: ClaimedDelivery,
  attempt: Attempt,
  state: NextAttempt['state'] | 'lost',
): void {
  attemptCounts.states[state]++
  attemptCounts.seconds += attempt.milliseconds / 1000
  const fields = {
    id: delivery.request_id ?? undefined,
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
