import { messageOf } from '../../common/errors.ts'
import type { Pool } from '../../db/sql.ts'
import type { VersionSource } from '../../db/version.ts'
import type { Log } from '../../log.ts'

/**
 * Notification channel of `site.announce_change()`, which the triggers `…_announced` of the tables of the site call
 * (0001_site.sql).
 */
const channel = 'forgehall_site'

/** Milliseconds between two reads of the version of the embedded database, which is in memory. */
const checkInterval = 50

/** Calls a function after changes of the site while it watches. */
export interface ChangeWatcher {
  start: () => void
  stop: () => void
}

/**
 * Watches for changes, from any process. A PostgreSQL server notifies; the embedded database has one process, and its
 * version changes with each commit, so `onChange` is sometimes called without a change of the site.
 */
export function watchChanges(
  { pool, states, log }: { pool: Pool; states: VersionSource; log: Log },
  onChange: () => void,
): ChangeWatcher {
  return 'local' in states ? watchVersion(states.local, onChange) : watchNotifications(pool, log, onChange)
}

function watchVersion(version: () => number | undefined, onChange: () => void): ChangeWatcher {
  let seen: number | undefined
  let timer: NodeJS.Timeout | undefined
  const check = () => {
    const current = version()
    if (current === seen) return
    seen = current
    onChange()
  }
  return {
    start: () => {
      seen = version()
      timer = setInterval(check, checkInterval)
    },
    stop: () => clearInterval(timer),
  }
}

/**
 * Listens from the first start on: one permanent connection is cheaper than one for each reader. When the connection was
 * lost, the driver listens again and calls `onChange`, since notifications may have been missed.
 */
function watchNotifications(pool: Pool, log: Log, onChange: () => void): ChangeWatcher {
  let isListening = false
  return {
    start: () => {
      if (isListening) return
      isListening = true
      pool.listen(channel, onChange, onChange).catch((error: unknown) => {
        log.warn('cannot listen for changes of the site yet', { error: messageOf(error) })
      })
    },
    stop: () => {},
  }
}
