import { every, type Running } from '../background/every.ts'
import { wordsOf } from '../codes.ts'
import { sealClear } from '../db/clear.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { migrations } from '../db/migrations.ts'
import { isAway, turnsUsAway } from '../db/refuse.ts'
import { SealError, type Secrets } from '../db/secrets.ts'
import type { Pool } from '../db/sql.ts'
import { sealedColumns } from '../forge/sealed.ts'
import type { Gate } from '../http/gate.ts'
import type { Log } from '../log.ts'

/** Between two attempts to reach a database that was away at start, in milliseconds. */
const knockAgain = 1_000

/** Brings the schema up to date; while the database is away the gate stays closed and we knock again. */
export async function prepareSchema(
  { database, gate, log, secrets }: { database: Database; gate: Gate; log: Log; secrets: Secrets },
  first: () => Promise<void>,
): Promise<Running> {
  const attempt = async () => {
    await database.patiently(async (pool) => {
      for (const name of await migrate(pool, migrations)) log.info('migrated', { name })
      await sealWhatIsClear(pool, secrets, log)
    })
    await first()
    gate.open()
  }
  gate.close('the schema has not been looked at yet')
  try {
    await attempt()
    return { stop: async () => {} }
  } catch (error) {
    if (!isAway(error) || turnsUsAway(error)) throw error
    log.warn('the database is away, waiting for it', { error: wordsOf(error) })
    return knock(attempt, wordsOf(error), log)
  }
}

/** Attempts again until one succeeds, and says so. What is in the way is logged when it is not what is `known`. */
function knock(attempt: () => Promise<void>, known: string, log: Log): Running {
  let last = known
  const knocking = every(knockAgain, 'reach the database', log, async () => {
    try {
      await attempt()
    } catch (error) {
      if (wordsOf(error) === last) return
      last = wordsOf(error)
      throw error
    }
    log.info('the database is there')
    void knocking.stop()
  })
  return knocking
}

/** With another key than the database's nothing is sealed, and all that is in clear works on. */
async function sealWhatIsClear(pool: Pool, secrets: Secrets, log: Log): Promise<void> {
  try {
    const sealed = await sealClear({ pool, secrets }, sealedColumns)
    for (const [what, count] of Object.entries(sealed)) if (count > 0) log.info('encrypted', { what, count })
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    log.warn('not encrypted: SECRET_KEY is not that of this database', { error: error.message })
  }
}
