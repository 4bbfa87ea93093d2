import { every, type Running } from '../../background/every.ts'
import { migrations } from '../../db/migrate/migrations.ts'
import { NewerSchemaError, refuseNewerSchema } from '../../db/migrate/required.ts'
import type { Pool } from '../../db/sql.ts'
import type { OperatorError } from '../../errors.ts'
import { isUnavailable } from '../../http/database-errors.ts'
import type { Log } from '../../log.ts'

/** Milliseconds between two checks of what the schema requires. */
const interval = 10_000

/**
 * Ends this process (`giveUp`) soon after another one of a newer release has changed the schema in a way that this
 * release cannot work with: its requests would fail, and it would write what the newer one does not understand.
 */
export function watchSchema(
  { pool, log, giveUp }: { pool: Pool; log: Log; giveUp: (error: OperatorError) => void },
  milliseconds = interval,
): Running {
  return every(milliseconds, 'look at the schema', log, async () => {
    try {
      await refuseNewerSchema(pool, migrations)
    } catch (error) {
      if (error instanceof NewerSchemaError) giveUp(error)
      else if (!isUnavailable(error)) throw error
    }
  })
}
