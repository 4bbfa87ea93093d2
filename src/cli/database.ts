import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'

/** Opens the database that the environment names. Background work and commands may wait longer than a caller would. */
export const openConfigured = ({
  databaseUrl: url,
  dataDir,
  poolSize,
  databaseTimeout,
}: Config): Promise<Database> =>
  openDatabase({ url, dataDir, poolSize, statementTimeout: 2 * databaseTimeout })
