import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'

/** Something that runs by itself until it is stopped. */
export interface Running {
  stop: () => Promise<void>
}

/**
 * Runs `work` now and again, `milliseconds` after its last end: never twice at once. A failure is logged and the next
 * turn comes all the same. Stopping waits for a turn that has begun.
 */
export function every(milliseconds: number, name: string, log: Log, work: () => Promise<void>): Running {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let last: Promise<void>
  const start = () => {
    last = turn()
  }
  const turn = async () => {
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
