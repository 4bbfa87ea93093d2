import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'

/** Opens the configured database. Background work and commands get twice the timeout of requests. */
export const openConfigured = ({
  databaseUrl: url,
  dataDir,
  poolSize,
  databaseTimeout,
}: Config): Promise<Database> =>
  openDatabase({ url, dataDir, poolSize, statementTimeout: 2 * databaseTimeout })
