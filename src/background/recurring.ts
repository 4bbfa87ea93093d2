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
