import { openEmbedded } from './embedded.ts'
import { openPool } from './open.ts'
import type { Pool } from './sql.ts'
import { readDatabaseVersion, type VersionSource } from './version.ts'

/** An open database, embedded or on a server. */
export interface Database {
  pool: Pool
  versions: VersionSource
  /** Settles when the embedded one has started, or rejects with the reason; resolves at once for a server. */
  opened: Promise<unknown>
  /** Runs `work` on a connection without a statement timeout, as migrations need. */
  withoutTimeout: <Result>(work: (pool: Pool) => Promise<Result>) => Promise<Result>
  /** Lets running statements finish for at most `seconds`, then closes. */
  close: (seconds: number) => Promise<void>
}

/**
 * Opens the PostgreSQL server at `url`, or else the embedded one in `dataDir`, which this process then holds. It may
 * still be starting.
 * @throws LockedError when another process holds the folder
 */
export async function openDatabase(where: {
  url: string | undefined
  dataDir: string
  /** Maximum connections to a server; the embedded one serves one. */
  poolSize: number
  /** Timeout of one statement on a server, in milliseconds. */
  statementTimeout?: number
}): Promise<Database> {
  const { url, dataDir, poolSize, statementTimeout = 30_000 } = where
  if (url !== undefined) {
    const pool = openPool({ url, poolSize, statementTimeout })
    return {
      pool,
      opened: Promise.resolve(),
      versions: { remote: () => readDatabaseVersion(pool) },
      withoutTimeout: onPoolWithoutTimeout(url),
      close: (seconds) => pool.end({ timeout: seconds }),
    }
  }
  const embedded = await openEmbedded(dataDir)
  // Without a statement timeout: no timer runs during a statement, and a database in this process cannot fall silent.
  const pool = openPool({ connect: () => embedded.connect(), poolSize: 1 })
  return {
    pool,
    opened: embedded.opened,
    versions: { local: () => embedded.version() },
    withoutTimeout: (work) => work(pool),
    close: async (seconds) => {
      await pool.end({ timeout: seconds })
      await embedded.close()
    },
  }
}

function onPoolWithoutTimeout(url: string): Database['withoutTimeout'] {
  return async (work) => {
    const pool = openPool({ url, poolSize: 1 })
    try {
      return await work(pool)
    } finally {
      await pool.end({ timeout: 1 })
    }
  }
}
