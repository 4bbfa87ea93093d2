import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import type { SlowStatement } from '../db/slow-statements.ts'
import type { Log } from '../log.ts'
import { type Io, unlessStopped } from './command.ts'

/**
 * Opens the configured database. Background work and commands get twice the timeout of requests. `log` gets a line for
 * each slow statement (`SLOW_STATEMENT`).
 */
export function openConfigured(config: Config, log?: Log): Promise<Database> {
  const { databaseUrl: url, dataDir, poolSize, databaseTimeout } = config
  const slow = log && slowStatementsTo(log, config)
  return openDatabase({ url, dataDir, poolSize, statementTimeout: 2 * databaseTimeout, slow })
}

/**
 * Opens the configured database, runs `work`, and closes the database. A signal ends the wait for the database; `work`
 * itself notices it or not.
 */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
  stopped: Io['stopped'],
): Promise<Result> {
  const database = await unlessStopped(stopped, openConfigured(config))
  try {
    await unlessStopped(stopped, database.opened)
    return await work(database)
  } finally {
    await database.close(2)
  }
}

function slowStatementsTo(log: Log, { slowStatement: milliseconds }: Config) {
  if (milliseconds === undefined) return undefined
  return {
    milliseconds,
    report: ({ requestId: id, ms, statement }: SlowStatement) =>
      log.warn('slow statement', { id, ms, statement }),
  }
}
