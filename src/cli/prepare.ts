import { every, type Running } from '../background/every.ts'
import type { Database } from '../db/database.ts'
import { encryptPlaintext } from '../db/encryption/plaintext.ts'
import type { Secrets } from '../db/encryption/secrets.ts'
import { migrate } from '../db/migrate/migrate.ts'
import { migrations } from '../db/migrate/migrations.ts'
import type { Pool } from '../db/sql.ts'
import { messageOf, OperatorError } from '../errors.ts'
import { encryptedColumns } from '../forge/accounts/encrypted-columns.ts'
import { isRefusedByServer, isUnavailable } from '../http/database-errors.ts'
import type { Limiter } from '../http/reads/limiter.ts'
import type { Log } from '../log.ts'

/** Between two attempts at what a database that is away keeps from being done, in milliseconds. */
const knockAgain = 1_000

/** What a server does before it answers, and once it can. Each may be done again when it fails. */
interface Preparations {
  first: () => Promise<void>
  afterwards: () => Promise<void>
}

/** What it works with. */
interface Means {
  database: Database
  gate: Limiter
  log: Log
  secrets: Secrets
  /** Whether the database is being closed: nothing that fails then is worth a word. */
  isStopping: () => boolean
  /** Ends the server, which listens already, because an operator must change something. */
  giveUp: (error: OperatorError) => void
}

/** How a server that listens stands: what it says of itself in the log. */
export type Standing = 'listening' | 'ready'

/**
 * Brings the schema up to date, does what comes `first` and opens the gate; while the database is away that stays closed.
 * Gives what begins the rest, to be called when the port is open: nobody who asks need wait for it. It says how the server
 * stands, and goes on, knocking at a database that is away, until all is done.
 * @throws whatever is wrong with a database that is there, and whatever comes of a stop
 */
export async function prepare(
  { database, gate, log, secrets, isStopping, giveUp }: Means,
  { first, afterwards }: Preparations,
): Promise<(say: (standing: Standing) => void) => Running> {
  let known: string | undefined
  let isOpen = false
  const open = async () => {
    for (const name of await database.withoutTimeout((pool) => migrate(pool, migrations)))
      log.info('migrated', { name })
    await first()
    gate.open()
    isOpen = true
  }
  gate.close('the schema has not been looked at yet')
  try {
    await open()
  } catch (error) {
    if (isStopping() || !isUnavailable(error) || isRefusedByServer(error)) throw error
    known = messageOf(error)
    log.warn('the database is away, waiting for it', { error: known })
  }
  return (say) => {
    say(isOpen ? 'ready' : 'listening')
    const rest = async () => {
      if (!isOpen) {
        await open()
        say('ready')
      }
      await database.withoutTimeout((pool) => sealWhatIsClear(pool, secrets, log))
      await afterwards()
    }
    return untilDone(rest, { log, isStopping, giveUp }, known)
  }
}

/** Attempts until `work` succeeds, or fails with something that only an operator can change. What is in the way is logged when it is not what is `known`. */
function untilDone(
  work: () => Promise<void>,
  { log, isStopping, giveUp }: Pick<Means, 'log' | 'isStopping' | 'giveUp'>,
  known?: string,
): Running {
  let last = known
  const attempts = every(knockAgain, 'prepare the database', log, async () => {
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

async function sealWhatIsClear(pool: Pool, secrets: Secrets, log: Log): Promise<void> {
  const sealed = await encryptPlaintext({ pool, secrets }, encryptedColumns)
  for (const [what, count] of Object.entries(sealed)) if (count > 0) log.info('encrypted', { what, count })
}
