import type { Begin, Tx } from '../../db/sql.ts'
import { Outdated } from './problem.ts'

/** The times of a request, for its authorization. */
interface Timed {
  now: Date
  clock: () => Date
  authorizedAt?: Date | undefined
}

/** The same request for another authorization. */
export const again = <Head extends Timed>(head: Head): Head => ({
  ...head,
  now: head.clock(),
  authorizedAt: head.authorizedAt ?? head.now,
})

/** How often a request whose access check has found what is no longer so is authorized again. */
export const maxRepetitions = 3

/**
 * Runs a change of a request whose body is read and cannot be read again: if what the access check found is no longer so,
 * the request is authorized again, and the change runs as the caller that this finds. Gives what `change` gives.
 * @throws Problem the refusal, if the rights are gone
 */
export async function confirmed<Caller, Result>(
  context: { caller: Caller; authorizeAgain: () => Promise<Caller> },
  change: (caller: Caller) => Promise<Result>,
): Promise<Result> {
  let { caller } = context
  for (let repetitions = 0; ; repetitions++) {
    try {
      return await change(caller)
    } catch (error) {
      if (!(error instanceof Outdated) || repetitions === maxRepetitions) throw error
      caller = await context.authorizeAgain()
    }
  }
}

/**
 * `begin` for a handler: its first transaction starts by confirming what the access check found, and so does the next if
 * that one fails. Later ones do not: they see what it has changed.
 */
export function confirming(confirm: (tx: Tx) => Promise<void>, begin: Begin): Begin {
  let isFirst = true
  const checked: Begin = (work, requestId) => {
    if (!isFirst) return begin(work, requestId)
    isFirst = false
    return begin(async (tx) => {
      await confirm(tx)
      return work(tx)
    }, requestId).catch((error) => {
      isFirst = true
      throw error
    })
  }
  return Object.assign(checked, begin.request && { request: begin.request })
}
