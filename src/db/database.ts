import { openEmbedded } from './embedded/embedded.ts'
import { openPool } from './open.ts'
import type { Pool } from './sql.ts'
import { readDatabaseVersion, type VersionSource } from './version.ts'

/** An open database, whichever it is. */
export interface Database {
  pool: Pool
  states: VersionSource
  /** Settles when an embedded one has started, or rejects with why it cannot; a server may be away and come back. */
  opened: Promise<unknown>
  /** Works on a connection whose statements may take as long as they need, as those of migrations. */
  withoutTimeout: <Result>(work: (pool: Pool) => Promise<Result>) => Promise<Result>
  /** Ends what runs, for at most `seconds`, then closes. */
  close: (seconds: number) => Promise<void>
}

/**
 * Opens the PostgreSQL server at `url`, or the embedded one in `dataDir`, which is its own from now on and still starts.
 * @throws LockedError when another process has the folder
 */
export async function openDatabase(where: {
  url: string | undefined
  dataDir: string
  /** Connections to a server; the embedded one serves one. */
  poolSize: number
  /** Longest run of one statement on a server, in milliseconds. */
  statementTimeout?: number
}): Promise<Database> {
  const { url, dataDir, poolSize, statementTimeout = 30_000 } = where
  if (url !== undefined) {
    const pool = openPool({ url, poolSize, statementTimeout })
    return {
      pool,
      opened: Promise.resolve(),
      states: { ask: () => readDatabaseVersion(pool) },
      withoutTimeout: onPatientPool(url),
      close: (seconds) => pool.end({ timeout: seconds }),
    }
  }
  const embedded = await openEmbedded({ dataDir })
  // No bound on statements: it has no timer that could fire meanwhile, and what is in our process does not go silent.
  const pool = openPool({ connect: () => embedded.connect(), poolSize: 1 })
  return {
    pool,
    opened: embedded.opened,
    states: { now: () => embedded.state() },
    withoutTimeout: (work) => work(pool),
    close: async (seconds) => {
      await pool.end({ timeout: seconds })
      await embedded.close()
    },
  }
}

function onPatientPool(url: string): Database['withoutTimeout'] {
  return async (work) => {
    const pool = openPool({ url, poolSize: 1 })
    try {
      return await work(pool)
    } finally {
      await pool.end({ timeout: 1 })
    }
  }
}
