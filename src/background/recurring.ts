import { messageOf } from '../common/errors.ts'
import type { Log } from '../log.ts'

/** A recurring job that runs until it is stopped. */
export interface Running {
  stop: () => Promise<void>
}

/**
 * Runs `work` repeatedly, with a pause of `milliseconds` after each run. A failure is logged and does not stop the
 * repetition. `stop` waits for a run in progress.
 */
export function every(milliseconds: number, name: string, log: Log, work: () => Promise<void>): Running {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let last: Promise<void>
  const start = () => {
    last = runOnce()
  }
  const runOnce = async () => {
    try {
      await work()
    } catch (error) {
      log.error('background task failed', { task: name, error: messageOf(error) })
    }
    if (!stopped) timer = setTimeout(start, milliseconds)
  }
  start()
  return {
    stop: () => {
      stopped = true
      clearTimeout(timer)
      return last
    },
  }
}

/**
 * Runs `work` without overlap. Any number of calls during a run cause exactly one more run after it. The promise
 * resolves after all of these runs; after a failure, the next call starts again.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running = false
  let again = false
  let last = Promise.resolve()

  async function run(): Promise<void> {
    running = true
    try {
      do {
        again = false
        await work()
      } while (again)
    } finally {
      running = false
    }
  }

  return () => {
    if (running) again = true
    else last = run()
    return last
  }
}

interface PollerOptions {
  /** Words for the log, such as `send mails`. */
  task: string
  /** Milliseconds after a poll until the next one. */
  poll: number
  log: Log
  /** Takes what is due until there is no more, or until `isRunning` says no. */
  work: (isRunning: () => boolean) => Promise<void>
  /** Called before the work of each poll, but not when somebody wakes it. */
  beforePoll?: (isRunning: () => boolean) => Promise<void>
}

/** Work that is done when somebody wakes it, and now and then in case that nobody does; one run at a time. */
export interface Poller {
  /** Starts a run, or one more after the present one; does nothing before the start and after the stop. */
  wake: () => void
  /** Polls from now on. `stop` waits for the present run. */
  start: () => Running
}

export function createPoller({ task, poll, log, work, beforePoll }: PollerOptions): Poller {
  let running = false
  let hasFailed = false
  const isRunning = () => running
  const run = oneAtATime(() => work(isRunning))
  // Many calls share one run: an outage is said once, and again only after a run that has succeeded.
  const onFailure = (error: unknown) => {
    if (!hasFailed) log.error('background task failed', { task, error: messageOf(error) })
    hasFailed = true
  }
  const onSuccess = () => {
    hasFailed = false
  }
  return {
    wake: () => void (running && run().then(onSuccess, onFailure)),
    start: () => {
      running = true
      const polls = every(poll, task, log, async () => {
        await beforePoll?.(isRunning)
        await run().then(onSuccess, onFailure)
      })
      const stop = async () => {
        running = false
        await polls.stop()
        await run().catch(() => {})
      }
      return { stop }
    },
  }
}
