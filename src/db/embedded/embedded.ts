import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { secureDataDir } from '../../data-dir.ts'
import { hasCode } from '../../errors.ts'
import { acquireLock } from '../lock.ts'
import { ensureCluster } from './cluster.ts'
import { prepared } from './prepared.ts'
import { EmbeddedServer } from './server.ts'

/** The embedded PostgreSQL. */
export interface Embedded {
  /** Settles when it has started; rejects with PostgreSQL's error message if it cannot. Connections wait for it. */
  opened: Promise<unknown>
  /**
   * A new connection, for postgres.js: `postgres({ socket: () => embedded.connect(), max: 1 })`. PostgreSQL has only
   * one session here: while another connection is open, a new one fails with ECONNREFUSED.
   */
  connect(): Duplex
  /**
   * The version of the committed data (`../version.ts`): it changes with each commit, before the commit is
   * acknowledged. Undefined while PostgreSQL is not running.
   */
  version(): number | undefined
  /**
   * Stops PostgreSQL (with its shutdown checkpoint) and releases the folder. Afterwards nothing keeps the process
   * alive. If this takes longer than 1 s, PostgreSQL is killed and the next start replays the log; acknowledged commits
   * are on disk.
   */
  close(): Promise<void>
}

/** The folder of PostgreSQL's files. */
const folderIn = (dataDir: string) => join(dataDir, 'postgres')

/** Whether `dataDir` contains no database. If that cannot be determined, false: opening it will report the reason. */
export async function lacksDatabase(dataDir: string): Promise<boolean> {
  try {
    await stat(folderIn(dataDir))
    return false
  } catch (error) {
    return hasCode(error, 'ENOENT')
  }
}

/**
 * Locks `dataDir` and starts the embedded PostgreSQL in its subfolder `postgres`, which is created at the first start.
 * Every acknowledged commit is on disk. When this resolves, PostgreSQL's thread needs nothing more from this thread.
 * Rejects with LockedError when another process holds the folder.
 */
export async function openEmbedded({ dataDir }: { dataDir: string }): Promise<Embedded> {
  await secureDataDir(dataDir)
  const folder = folderIn(dataDir)
  const lock = await acquireLock(dataDir)
  const server = new EmbeddedServer(folder)
  void lock.lost.then((reason) => server.abandon(reason))
  try {
    await Promise.all([ensureCluster(folder), prepared()])
  } catch (error) {
    await lock.release()
    throw error
  }
  const opened = server.start()
  // Callers that await `opened` get the error; if the server is closed before that, it does not matter.
  opened.catch(() => {})
  return {
    opened,
    connect: () => server.connect(),
    version: () => server.version(),
    close: () => server.stop().finally(() => lock.release()),
  }
}
