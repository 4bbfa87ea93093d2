import { setTimeout as pause } from 'node:timers/promises'
import { isUnavailable } from '../http/database-errors.ts'

/** Milliseconds between two tries while the database is away. */
const again = 500

/** Does what must be on record: while the database is away again and again, until `isOver`. @throws what `work` does */
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
    await pause(again)
  }
}
