import { setTimeout as pause } from 'node:timers/promises'
import { isUnavailable } from '../http/database-errors.ts'

/** Milliseconds between two tries while the database is unavailable. */
const retryDelay = 500

/**
 * The result of `work`, which is retried while the database is unavailable, until `isOver`.
 * @throws errors of `work`
 */
export async function retryUntilAvailable<Result>(
  work: () => Promise<Result>,
  isOver: () => boolean,
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || isOver()) throw error
    }
    await pause(retryDelay)
  }
}
