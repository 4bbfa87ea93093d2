import type { Log } from '../../log.ts'

/** Logs that a limit of the server refuses requests. */
export type ReportLoad = (message: string, fields: Readonly<Record<string, unknown>>) => void

/** Least time between two lines about the same limit, in milliseconds. */
const lineInterval = 1_000

/**
 * Warns of each limit at most once a second, with the number of refusals since the line before that have none: what
 * fills a queue must not fill the log too. Limits are told apart by their messages, which are constant.
 */
export function loadReporter(log: Log): ReportLoad {
  const limits = new Map<string, { loggedAt: number; unlogged: number }>()
  return (message, fields) => {
    const limit = limits.get(message) ?? { loggedAt: Number.NEGATIVE_INFINITY, unlogged: 0 }
    limits.set(message, limit)
    const now = performance.now()
    if (now - limit.loggedAt < lineInterval) {
      limit.unlogged++
      return
    }
    log.warn(message, { ...fields, unlogged: limit.unlogged })
    Object.assign(limit, { loggedAt: now, unlogged: 0 })
  }
}
