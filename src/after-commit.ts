import type { Running } from './background/every.ts'
import { type Consumer, createOutbox } from './background/outbox.ts'
import type { Pool } from './db/sql.ts'
import type { Sender } from './forge/webhooks/delivery/deliver.ts'
import { Dispatcher, type DispatchOptions } from './forge/webhooks/delivery/dispatch.ts'
import type { Log } from './log.ts'

/** What the drain and the dispatcher are made of. */
export interface AfterCommitDeps {
  pool: Pool
  log: Log
  sender: Sender
  /** Whether the database can tell other processes of a commit; the embedded one cannot and need not. */
  listens: boolean
  /** What follows from events. */
  consumers: readonly Consumer[]
  /** What goes on with the rows that consumers wrote. */
  followers?: readonly BackgroundWorker[]
}

/** Works on rows, again and again; `wake` tells it that there may be some. */
export interface BackgroundWorker {
  wake: () => void
  start: () => Running
}

/**
 * What happens after a commit (design, section 4): events are spread to consumers, and what those queued is sent.
 * `wake` is for `beginOn`; it does nothing before the start. After a stop there is no start.
 */
export function createAfterCommit(parts: AfterCommitDeps, options: Partial<DispatchOptions> = {}) {
  const { pool, log, sender, followers = [] } = parts
  const all = [new Dispatcher({ pool, log, sender }, options), ...followers]
  const spread = () => {
    for (const follower of all) follower.wake()
  }
  const outbox = createOutbox({ ...parts, clock: sender.clock, onDispatched: spread }, options.poll)
  let running: readonly Running[] = []
  let stopped = false
  return {
    wake: outbox.wake,
    start: (): void => {
      if (!stopped) running = [outbox.start(), ...all.map((follower) => follower.start())]
    },
    stop: async (): Promise<void> => {
      stopped = true
      await Promise.all(running.map((each) => each.stop()))
    },
  }
}
