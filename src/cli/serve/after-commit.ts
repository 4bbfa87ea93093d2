import { type Consumer, createOutbox } from '../../background/outbox.ts'
import type { Running } from '../../background/recurring.ts'
import type { Pool } from '../../db/sql.ts'
import type { Sender } from '../../forge/webhooks/delivery/deliver.ts'
import { Dispatcher, type DispatchOptions } from '../../forge/webhooks/delivery/dispatch.ts'
import type { Log } from '../../log.ts'

/** What the outbox and the dispatcher work with. */
interface AfterCommitDeps {
  pool: Pool
  log: Log
  sender: Sender
  /** Whether the database notifies other processes of a commit; the embedded one cannot and need not. */
  listens: boolean
  /** Consumers of events. */
  consumers: readonly Consumer[]
  /** Workers that process the rows that consumers wrote. */
  followers?: readonly BackgroundWorker[]
}

/** Processes rows repeatedly; `wake` tells it that there may be new ones. */
export interface BackgroundWorker {
  wake: () => void
  start: () => Running
}

/**
 * The work after a commit (`docs/decisions/07-outbox.md`): dispatches events to consumers and sends what those queued.
 * `wake` is for `beginOn`; it does nothing before the start. After a stop it cannot be started again.
 */
export function createAfterCommit(deps: AfterCommitDeps, options: Partial<DispatchOptions> = {}) {
  const { pool, log, sender, followers = [] } = deps
  const workers = [new Dispatcher({ pool, log, sender }, options), ...followers]
  const wakeWorkers = () => {
    for (const worker of workers) worker.wake()
  }
  const outbox = createOutbox({ ...deps, clock: sender.clock, onDispatched: wakeWorkers }, options.poll)
  let running: readonly Running[] = []
  let stopped = false
  return {
    wake: outbox.wake,
    start: (): void => {
      if (!stopped) running = [outbox.start(), ...workers.map((worker) => worker.start())]
    },
    stop: async (): Promise<void> => {
      stopped = true
      await Promise.all(running.map((each) => each.stop()))
    },
  }
}
