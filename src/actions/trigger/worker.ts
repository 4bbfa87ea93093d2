import { heartbeatInterval, lease } from '../../background/claim.ts'
import { every, oneAtATime, type Running } from '../../background/recurring.ts'
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
interface TriggerWorker {
  /** Polls now; does nothing before the start and after the stop. */
  wake: () => void
  start: () => Running
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share state
export function createTriggerWorker(
  deps: EvaluationDeps,
  options: Partial<WorkerOptions> = {},
): TriggerWorker {
  const { atOnce, poll, lease } = { ...workerDefaults, ...options }
  let running = false
  const inFlight = new Map<Trigger, Promise<void>>()
  const claimDue = oneAtATime(async () => {
    if (running) await insertServerJobs(deps.sql, deps.clock())
    while (running && inFlight.size < atOnce) {
      const limit = atOnce - inFlight.size
      const claimed = await claimTriggers(deps.sql, { limit, now: deps.clock(), until: leaseFromNow() })
      if (claimed.length === 0) return
      for (const trigger of claimed) start(trigger)
    }
  })

  const leaseFromNow = () => new Date(deps.clock().getTime() + lease)

  function start(trigger: Trigger): void {
    const evaluation = handle(trigger).finally(() => {
      inFlight.delete(trigger)
      wake()
    })
    inFlight.set(trigger, evaluation)
  }

  async function handle(trigger: Trigger): Promise<void> {
    try {
      await evaluate(deps, trigger)
    } catch (error) {
      // A stopping server ends git and the threads of the planner, and the database may be unavailable: neither is the
      // fault of the trigger, so this does not count as an attempt.
      const outcome =
        running && !isUnavailable(error)
          ? postponeOrDrop(deps, trigger, error)
          : retryUntilAvailable(
              () => releaseTrigger(deps.sql, trigger, deps.clock()),
              () => !running,
            )
      await outcome.catch((cause: unknown) => logError(deps, cause))
    }
  }

  function wake(): void {
    if (running) claimDue().catch((error: unknown) => logError(deps, error))
  }

  return {
    wake,
    start: () => {
      running = true
      const poller = every(poll, 'start workflows', deps.log, async () => {
        // After an outage all schedules are due at once.
        while (running && (await queueDueSchedules(deps.sql, deps.begin, deps.clock())));
        await claimDue()
      })
      const heartbeat = every(
        heartbeatInterval(lease),
        'extend the claims of triggers',
        deps.log,
        async () => {
          if (inFlight.size > 0) await extendClaims(deps.sql, [...inFlight.keys()], leaseFromNow())
        },
      )
      return {
        stop: async () => {
          running = false
          await poller.stop()
          await claimDue().catch(() => {})
          await Promise.all(inFlight.values())
          await heartbeat.stop()
        },
      }
    },
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

function logError({ log }: EvaluationDeps, error: unknown): void {
  log.error('cannot claim, release or postpone triggers', { error: messageOf(error) })
}
