import { every, type Running } from '../../background/recurring.ts'
import type { OperatorError } from '../../common/errors.ts'
import { migrations } from '../../db/migrate/migrations.ts'
import { NewerSchemaError, requireKnownSchema } from '../../db/migrate/required.ts'
import type { Pool } from '../../db/sql.ts'
import { isUnavailable } from '../../http/database-errors.ts'
import type { Log } from '../../log.ts'

/** Milliseconds between two checks of what the schema requires. */
const interval = 10_000

/**
 * Ends this process (`giveUp`) soon after a process of a newer release has changed the schema in a way with which this
 * release cannot work: its requests would fail, or write rows that the newer release cannot read.
 */
export function watchSchema(
  { pool, log, giveUp }: { pool: Pool; log: Log; giveUp: (error: OperatorError) => void },
  milliseconds = interval,
): Running {
  return every(milliseconds, 'check the schema', log, async () => {
    try {
      await requireKnownSchema(pool, migrations)
    } catch (error) {
      if (error instanceof NewerSchemaError) giveUp(error)
      else if (!isUnavailable(error)) throw error
    }
  })
}
