import type { Begin, Tx } from '../../db/sql.ts'

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

/**
 * `begin` for a handler: its first transaction starts by confirming what the access check found. Later ones do not:
 * they see what the first one has changed.
 */
export function confirming(confirm: (tx: Tx) => Promise<void>, begin: Begin): Begin {
  let isFirst = true
  const confirmed: Begin = (work, requestId) => {
    if (!isFirst) return begin(work, requestId)
    isFirst = false
    return begin(async (tx) => {
      await confirm(tx)
      return work(tx)
    }, requestId)
  }
  return Object.assign(confirmed, begin.request && { request: begin.request })
}
