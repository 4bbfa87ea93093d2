import { beatOf, lease } from '../../background/claim.ts'
import { every, type Running } from '../../background/every.ts'
import { oneAtATime } from '../../background/one-at-a-time.ts'
import { retryUntilAvailable } from '../../background/retry-until-available.ts'
import { messageOf } from '../../errors.ts'
import { isUnavailable } from '../../http/database-errors.ts'
import { repoFacts } from '../run/repo-facts.ts'
import { type EvaluationDeps, evaluateTrigger } from './evaluation.ts'
import { queueDueSchedules } from './schedule-tick.ts'
import {
  claimTriggers,
  deleteTrigger,
  keepTriggers,
  postponeTrigger,
  releaseTrigger,
  type Trigger,
} from './trigger-store.ts'

/** How triggers are looked at. */
export interface WorkerOptions {
  /** Looked at together, in this process. */
  atOnce: number
  /** Milliseconds between two looks for what is due. */
  poll: number
  /** Milliseconds after which a process that gives no sign of life has lost its triggers to others. */
  lease: number
}

const workerDefaults: WorkerOptions = { atOnce: 4, poll: 5_000, lease }

/** Milliseconds before a trigger is tried again that could not be looked at: the first such time, doubled each time. */
const firstPause = 5_000

/** How often it is tried. */
const mostTries = 8

/** Looks at what may start workflows, again and again; several processes do it side by side. */
export interface TriggerWorker {
  /** Looks now; does nothing before the start and after the stop. */
  wake: () => void
  start: () => Running
}

export function createTriggerWorker(
  parts: EvaluationDeps,
  options: Partial<WorkerOptions> = {},
): TriggerWorker {
  const { atOnce, poll, lease } = { ...workerDefaults, ...options }
  let running = false
  const flights = new Map<Trigger, Promise<void>>()
  const look = oneAtATime(async () => {
    while (running && flights.size < atOnce) {
      const limit = atOnce - flights.size
      const claimed = await claimTriggers(parts.sql, { limit, now: parts.clock(), until: leaseFromNow() })
      if (claimed.length === 0) return
      for (const trigger of claimed) launch(trigger)
    }
  })

  const leaseFromNow = () => new Date(parts.clock().getTime() + lease)

  function launch(trigger: Trigger): void {
    const flight = handle(trigger).finally(() => {
      flights.delete(trigger)
      wake()
    })
    flights.set(trigger, flight)
  }

  async function handle(trigger: Trigger): Promise<void> {
    try {
      await examine(parts, trigger)
    } catch (error) {
      // Git and the threads that read files are ended with the server, and the database may be away: no fault of the
      // trigger, and no try.
      const ending =
        running && !isUnavailable(error)
          ? putOff(parts, trigger, error)
          : retryUntilAvailable(
              () => releaseTrigger(parts.sql, trigger, parts.clock()),
              () => !running,
            )
      await ending.catch((cause: unknown) => complain(parts, cause))
    }
  }

  function wake(): void {
    if (running) look().catch((error: unknown) => complain(parts, error))
  }

  return {
    wake,
    start: () => {
      running = true
      const polling = every(poll, 'start workflows', parts.log, async () => {
        await queueDueSchedules(parts.sql, parts.begin, parts.clock())
        await look()
      })
      const living = every(beatOf(lease), 'keep triggers', parts.log, async () => {
        if (flights.size > 0) await keepTriggers(parts.sql, [...flights.keys()], leaseFromNow())
      })
      return {
        stop: async () => {
          running = false
          await polling.stop()
          await look().catch(() => {})
          await Promise.all(flights.values())
          await living.stop()
        },
      }
    },
  }
}

async function examine(parts: EvaluationDeps, trigger: Trigger): Promise<void> {
  const facts = await repoFacts(parts.sql, trigger.repository_id)
  if (!facts || facts.is_archived || !facts.has_actions) await deleteTrigger(parts.sql, trigger)
  else await evaluateTrigger(parts, facts, trigger)
}

/** After the last try it is given up: the log says so. */
async function putOff(parts: EvaluationDeps, trigger: Trigger, error: unknown): Promise<void> {
  const { sql, log, clock } = parts
  const words = messageOf(error)
  const { id, kind, ref, repository_id: repository, failures } = trigger
  log.error('workflows cannot be started', { trigger: id, repository, kind, ref, failures, error: words })
  if (failures + 1 >= mostTries) await deleteTrigger(sql, trigger)
  else await postponeTrigger(sql, trigger, new Date(clock().getTime() + firstPause * 2 ** failures), words)
}

function complain({ log }: EvaluationDeps, error: unknown): void {
  log.error('workflows are held up', { error: messageOf(error) })
}
