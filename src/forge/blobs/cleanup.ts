import type { CronRun, CronTask } from '../../background/cron/cron-task.ts'
import type { Blobs } from '../../blobs/blobs.ts'
import type { Begin } from '../../db/sql.ts'
import { blobsAfter, freeBlob, unknownBlobs } from './blob-store.ts'
import { claimStore } from './store-owner.ts'

/** Number of blobs per statement. */
const BATCH_SIZE = 500

/** Uploads older than this are presumed abandoned by a crash, in milliseconds. */
const MAX_UPLOAD_TIME = 24 * 3_600_000

/** The number of removed blobs. */
interface CleanedUp {
  /** Blobs with a row that no package file uses. */
  unused: number
  /** Contents without a row: left by a crash before the commit. */
  unknown: number
}

/** Gitea's task `cleanup_packages`. */
export const cleanupPackages = ({ blobs }: { blobs: Blobs }): CronTask => ({
  name: 'cleanup_packages',
  summary: 'Removes package files that no version uses.',
  schedule: '@midnight',
  runAtStart: true,
  run: async (run) => {
    const { unused, unknown } = await cleanUpPackages(blobs, run)
    return unused + unknown > 0 ? `${unused} unused and ${unknown} unknown contents removed` : undefined
  },
})

/**
 * Removes blobs that no package uses from the disk. It may run concurrently with uploads and removals, and in several
 * processes: a blob is removed while its name is locked, so that nobody can store it at the same time.
 * @throws StoreError
 */
export async function cleanUpPackages(
  blobs: Blobs,
  { sql, begin, now, signal }: Pick<CronRun, 'sql' | 'begin' | 'now' | 'signal'>,
): Promise<CleanedUp> {
  const old = new Date(now.getTime() - MAX_UPLOAD_TIME)
  await blobs.tidy(old)
  await claimStore(sql, blobs)
  let unused = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    signal.throwIfAborted()
    const batch: Awaited<ReturnType<typeof blobsAfter>> = await blobsAfter(sql, after, BATCH_SIZE)
    for (const { sha256, is_used } of batch) {
      if (!is_used && (await remove(begin, blobs, sha256))) unused++
    }
    after = batch.at(-1)?.sha256
  }
  let unknown = 0
  for await (const names of inBatches(blobs.settledNames(old))) {
    signal.throwIfAborted()
    for (const sha256 of await unknownBlobs(sql, names)) if (await remove(begin, blobs, sha256)) unknown++
  }
  return { unused, unknown }
}

/**
 * Removes the file before the commit of its row's deletion: a crash leaves an unused row, never a used row without
 * file.
 */
function remove(begin: Begin, blobs: Blobs, sha256: string): Promise<boolean> {
  return begin(async (tx) => {
    const isFree = await freeBlob(tx, sha256)
    if (isFree) await blobs.remove(sha256)
    return isFree
  })
}

async function* inBatches(names: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const name of names) {
    batch.push(name)
    if (batch.length < BATCH_SIZE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
