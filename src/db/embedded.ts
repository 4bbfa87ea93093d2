import worker from 'worker:../embedded-postgres/worker.ts'
import { cluster, files, wasm } from 'embedded:postgres'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { forbidRootInForeign, secureDataDir } from '../common/data-dir.ts'
import { hasCode } from '../common/errors.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts'
import { acquireLock } from './lock.ts'

/** The program and the files of the embedded PostgreSQL, which the build puts into the bundle. */
const parts = { worker, wasm, files, cluster }

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
 * Closing it releases the lock.
 * @throws LockedError when another process holds the folder; OperatorError when root would open the database of another user
 */
export async function openEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  await forbidRootInForeign(folderIn(dataDir))
  await secureDataDir(dataDir)
  const lock = await acquireLock(dataDir)
  try {
    const postgres = await startEmbeddedPostgres({ folder: folderIn(dataDir), parts })
    void lock.lost.then((reason) => postgres.abandon(reason))
    return { ...postgres, close: () => postgres.close().finally(() => lock.release()) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Removes the database in `dataDir`. @throws LockedError when another process holds the folder */
export async function removeDatabase(dataDir: string): Promise<void> {
  const lock = await acquireLock(dataDir)
  await rm(folderIn(dataDir), { recursive: true, force: true }).finally(() => lock.release())
}
