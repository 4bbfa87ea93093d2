import { openEmbedded } from './embedded.ts'
import { openPool } from './open.ts'
import type { Pool } from './sql.ts'

/** An open database, whichever it is. */
export interface Database {
  pool: Pool
  /** Ends what runs, for at most `seconds`, then closes. */
  close: (seconds: number) => Promise<void>
}

/**
 * Opens the PostgreSQL server at `url`, or the embedded one in `dataDir`.
 * @throws LockedError when another process has the folder
 */
export async function openDatabase(where: {
  url: string | undefined
  dataDir: string
  poolSize: number
}): Promise<Database> {
  const { url, dataDir, poolSize } = where
  if (url !== undefined) {
    const pool = openPool({ url, poolSize })
    return { pool, close: (seconds) => pool.end({ timeout: seconds }) }
  }
  const embedded = await openEmbedded({ dataDir })
  const pool = openPool({
    connect: () => embedded.connect(),
    poolSize: Math.min(poolSize, embedded.maxConnections),
  })
  return {
    pool,
    close: async (seconds) => {
      await pool.end({ timeout: seconds })
      await embedded.close()
    },
  }
}
