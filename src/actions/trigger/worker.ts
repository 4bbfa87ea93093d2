import { heartbeatInterval, lease } from '../../background/claim.ts'
import { createPoller, every, type Poller } from '../../background/recurring.ts'
import { retryUntilAvailable } from '../../background/retry-until-available.ts'
import { messageOf } from '../../common/errors.ts'
import { isUnavailable } from '../../http/database-errors.ts'
import { repoFacts } from '../run/repo-facts-store.ts'
import { planServerJobs } from '../run/server-job.ts'
import { isObject } from '../workflow/values.ts'
import { type EvaluationDeps, evaluateTrigger } from './evaluation.ts'
import { queueDueSchedules } from './schedule-tick.ts'
import {
  claimTriggers,
  deleteTrigger,
  extendClaims,
  insertServerJobs,
  postponeTrigger,
  releaseTrigger,
  type Trigger,
} from './trigger-store.ts'

/** Options of the worker. */
interface WorkerOptions {
  /** Number of triggers that this process evaluates at the same time. */
  atOnce: number
  /** Milliseconds between two polls for due triggers. */
  poll: number
  /** Milliseconds without a heartbeat after which other processes may claim this process's triggers. */
  lease: number
}

const workerDefaults: WorkerOptions = { atOnce: 4, poll: 5_000, lease }

/** Milliseconds before the first retry of a failed trigger; each further delay is twice as long. */
const firstDelay = 5_000

/** Maximum number of attempts. */
const maxAttempts = 8

/** Evaluates triggers in the background; several processes may do so at the same time. */
export function createTriggerWorker(deps: EvaluationDeps, options: Partial<WorkerOptions> = {}): Poller {
  const { poll, ...claims } = { ...workerDefaults, ...options }
  const { sql, begin, clock, log } = deps
  const evaluations = new Evaluations(deps, claims)
  const poller = createPoller({
    task: 'start workflows',
    poll,
    log,
    beforePoll: async (isRunning) => {
      // After an outage all schedules are due at once.
      while (isRunning() && (await queueDueSchedules(sql, begin, clock())));
    },
    work: async (isRunning) => {
      if (isRunning()) await insertServerJobs(sql, clock())
      while (isRunning() && (await evaluations.startDue(isRunning, poller.wake)));
    },
  })
  const start = () => {
    const polling = poller.start()
    const heartbeat = every(heartbeatInterval(claims.lease), 'extend the claims of triggers', log, () =>
      evaluations.extend(),
    )
    const stop = async () => {
      await polling.stop()
      await evaluations.ended()
      await heartbeat.stop()
    }
    return { stop }
  }
  return { ...poller, start }
}

/** The triggers that this process evaluates. */
class Evaluations {
  readonly #deps: EvaluationDeps
  readonly #options: Pick<WorkerOptions, 'atOnce' | 'lease'>
  readonly #inFlight = new Map<Trigger, Promise<void>>()

  constructor(deps: EvaluationDeps, options: Pick<WorkerOptions, 'atOnce' | 'lease'>) {
    this.#deps = deps
    this.#options = options
  }

  /**
   * Starts what is due, as far as there is room; false: nothing. `onEnd` is called after each. When `isRunning` says no, the
   * server stops: a failure is not the fault of a trigger then.
   */
  async startDue(isRunning: () => boolean, onEnd: () => void): Promise<boolean> {
    const { sql, clock } = this.#deps
    const limit = this.#options.atOnce - this.#inFlight.size
    if (limit <= 0) return false
    const claimed = await claimTriggers(sql, { limit, now: clock(), until: this.#leaseFromNow() })
    for (const trigger of claimed) {
      const evaluation = this.#handle(trigger, isRunning).finally(() => {
        this.#inFlight.delete(trigger)
        onEnd()
      })
      this.#inFlight.set(trigger, evaluation)
    }
    return claimed.length > 0
  }

  /** Extends the claims of all that this process evaluates. */
  async extend(): Promise<void> {
    const triggers = [...this.#inFlight.keys()]
    if (triggers.length > 0) await extendClaims(this.#deps.sql, triggers, this.#leaseFromNow())
  }

  async ended(): Promise<void> {
    await Promise.all(this.#inFlight.values())
  }

  #leaseFromNow(): Date {
    return new Date(this.#deps.clock().getTime() + this.#options.lease)
  }

  async #handle(trigger: Trigger, isRunning: () => boolean): Promise<void> {
    const { sql, clock, log } = this.#deps
    try {
      await evaluate(this.#deps, trigger)
    } catch (error) {
      // A stopping server ends git and the threads of the planner, and the database may be unavailable: neither is the
      // fault of the trigger, so this does not count as an attempt.
      const release = () => releaseTrigger(sql, trigger, clock())
      const isFault = isRunning() && !isUnavailable(error)
      const outcome = isFault
        ? postponeOrDrop(this.#deps, trigger, error)
        : retryUntilAvailable(release, () => !isRunning())
      await outcome.catch((cause: unknown) =>
        log.error('cannot release or postpone a trigger', { trigger: trigger.id, error: messageOf(cause) }),
      )
    }
  }
}

async function evaluate(deps: EvaluationDeps, trigger: Trigger): Promise<void> {
  if (trigger.kind === 'server_job') {
    await planServerJobs(deps, jobIn(trigger), (tx) => deleteTrigger(tx, trigger))
    return
  }
  const facts = await repoFacts(deps.sql, trigger.repository_id)
  if (!facts || facts.is_archived || !facts.has_actions) await deleteTrigger(deps.sql, trigger)
  else await evaluateTrigger(deps, facts, trigger)
}

/** A job of the attempt that a trigger is about (`insertServerJobs`). */
const jobIn = ({ payload }: Trigger) => Number(isObject(payload) ? payload.job : 0)

/** Logs the failure; deletes the trigger after its last attempt. */
async function postponeOrDrop(deps: EvaluationDeps, trigger: Trigger, error: unknown): Promise<void> {
  const { sql, log, clock } = deps
  const message = messageOf(error)
  const { id, kind, ref, repository_id: repository, failures } = trigger
  log.error('cannot start workflows', { trigger: id, repository, kind, ref, failures, error: message })
  if (failures + 1 >= maxAttempts) await deleteTrigger(sql, trigger)
  else await postponeTrigger(sql, trigger, new Date(clock().getTime() + firstDelay * 2 ** failures), message)
}
