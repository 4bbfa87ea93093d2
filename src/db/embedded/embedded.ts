import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { secureDataDir } from '../../data-dir.ts'
import { hasCode } from '../../errors.ts'
import { ensureCluster } from './cluster.ts'
import { acquireLock } from './lock.ts'
import { prepared } from './prepared.ts'
import { EmbeddedServer } from './server.ts'

/** The embedded PostgreSQL. */
export interface Embedded {
  /** Settles when it has started; rejects with PostgreSQL's own words when it cannot. Connections wait for it. */
  opened: Promise<unknown>
  /**
   * A new connection, for postgres.js: `postgres({ socket: () => embedded.connect(), max: 1 })`. PostgreSQL has one
   * session here: while another connection is open, it fails with ECONNREFUSED.
   */
  connect(): Duplex
  /**
   * The state of what is committed (`states.ts`): another one after each commit, from before its acknowledgement on.
   * Undefined while PostgreSQL does not run.
   */
  state(): number | undefined
  /**
   * Stops PostgreSQL (with its shutdown checkpoint) and releases the folder. Nothing is left that would keep the process
   * alive. What takes longer than 1 s is cut off, and the next start replays the log: acknowledged is on disk.
   */
  close(): Promise<void>
}

/** Where the files of PostgreSQL lie. */
const folderIn = (dataDir: string) => join(dataDir, 'postgres')

/** Whether there is no database in `dataDir`. Where that cannot be found out, opening it tells why. */
export async function lacksDatabase(dataDir: string): Promise<boolean> {
  try {
    await stat(folderIn(dataDir))
    return false
  } catch (error) {
    return hasCode(error, 'ENOENT')
  }
}

/**
 * Takes `dataDir` and begins to start the embedded PostgreSQL in it; its files are in the folder `postgres` there and are
 * made at the first start. Every acknowledged commit is on disk. When it resolves PostgreSQL's thread needs nothing more
 * of this one. Rejects with LockedError when another process has the folder open.
 */
export async function openEmbedded({ dataDir }: { dataDir: string }): Promise<Embedded> {
  await secureDataDir(dataDir)
  const folder = folderIn(dataDir)
  const lock = await acquireLock(dataDir)
  const server = new EmbeddedServer(folder)
  lock.onLost((sentence) => server.abandon(sentence))
  try {
    await Promise.all([ensureCluster(folder), prepared()])
  } catch (error) {
    await lock.release()
    throw error
  }
  const opened = server.start()
  // Whoever waits for it hears of it; to a server that is closed before that it does not matter any more.
  opened.catch(() => {})
  return {
    opened,
    connect: () => server.connect(),
    state: () => server.state(),
    close: () => server.stop().finally(() => lock.release()),
  }
}
