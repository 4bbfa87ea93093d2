import { every, type Running } from '../../background/recurring.ts'
import { messageOf, OperatorError } from '../../common/errors.ts'
import type { Database } from '../../db/database.ts'
import { migrate } from '../../db/migrate/migrate.ts'
import { migrations } from '../../db/migrate/migrations.ts'
import { isRejectedByServer, isUnavailable } from '../../http/database-errors.ts'
import type { DatabaseLimiter } from '../../http/reads/database-limiter.ts'
import type { Log } from '../../log.ts'

/** Interval between attempts while the database is unavailable, in milliseconds. */
const retryInterval = 1_000

/** Startup work before the first request (`first`) and after it (`afterwards`). Each is repeated when it fails. */
interface Preparations {
  first: () => Promise<void>
  afterwards: () => Promise<void>
}

interface PrepareDeps {
  database: Database
  limiter: DatabaseLimiter
  log: Log
  /** Whether the database is being closed: later failures are not logged. */
  isStopping: () => boolean
  /** Stops the server, which listens already, because an operator must change something. */
  giveUp: (error: OperatorError) => void
}

/** State of a listening server, for the log. */
export type ServerState = 'listening' | 'ready'

/** Starts the rest of the startup once the port is open; reports the state of the server now, and when it changes. */
export type StartRest = (report: (state: ServerState) => void) => Running

/**
 * Migrates the schema, runs `first` and opens the limiter, which stays closed while the database is unavailable.
 * Returns a function that starts the rest, to be called once the port is open, because no request waits for it. It
 * reports the state and retries until everything is done.
 * @throws errors of a database that is available, and errors caused by a stop
 */
export async function prepare(
  { database, limiter, log, isStopping, giveUp }: PrepareDeps,
  { first, afterwards }: Preparations,
): Promise<StartRest> {
  let loggedError: string | undefined
  let isOpen = false
  const open = async () => {
    for (const name of await database.withoutTimeout((pool) => migrate(pool, migrations)))
      log.info('migrated', { name })
    await first()
    limiter.open()
    isOpen = true
  }
  limiter.close('the server is starting')
  try {
    await open()
  } catch (error) {
    if (isStopping() || !isUnavailable(error) || isRejectedByServer(error)) throw error
    loggedError = messageOf(error)
    limiter.close()
    log.warn('the database is unavailable; waiting for it', { error: loggedError })
  }
  return (report) => {
    report(isOpen ? 'ready' : 'listening')
    const rest = async () => {
      if (!isOpen) {
        await open()
        report('ready')
      }
      await afterwards()
    }
    return untilDone(rest, { log, isStopping, giveUp }, loggedError)
  }
}

/**
 * Repeats `work` until it succeeds, or fails with an error that only an operator can fix. Logs each error that differs
 * from the previous one.
 */
function untilDone(
  work: () => Promise<void>,
  { log, isStopping, giveUp }: Pick<PrepareDeps, 'log' | 'isStopping' | 'giveUp'>,
  loggedError?: string,
): Running {
  let last = loggedError
  const attempts = every(retryInterval, 'prepare the database', log, async () => {
    try {
      await work()
    } catch (error) {
      if (isStopping() || messageOf(error) === last) return
      last = messageOf(error)
      if (!(error instanceof OperatorError)) throw error
      giveUp(error)
    }
    void attempts.stop()
  })
  return attempts
}
