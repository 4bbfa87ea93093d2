import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { type Io, unlessStopped } from './command.ts'

/** Opens the configured database. Background work and commands get twice the timeout of requests. */
export function openConfigured(config: Config): Promise<Database> {
  const { databaseUrl: url, dataDir, poolSize, databaseTimeout } = config
  return openDatabase({ url, dataDir, poolSize, statementTimeout: 2 * databaseTimeout })
}

/**
 * Opens the configured database, runs `work`, and closes the database. A signal ends the wait for the database, but not
 * `work`.
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
