import type { CronRun, CronTask } from '../../background/cron/cron-task.ts'
import type { Blobs } from '../../blobs/blobs.ts'
import type { Begin } from '../../db/sql.ts'
import { blobsAfter, freeBlob, unknownBlobs } from './package-store.ts'

/** Contents looked at with one statement. */
const atOnce = 500

/** How long an upload may take before its remains are taken for those of a crash, in milliseconds. */
const longestUpload = 24 * 3_600_000

/** What was removed. */
interface CleanedUp {
  /** Contents that no package uses any more. */
  unused: number
  /** Files that no row knows of: what a crash left between the disk and the commit. */
  unknown: number
}

/** `cleanup_packages` of the original. */
export const cleanupPackages = ({ blobs }: { blobs: Blobs }): CronTask => ({
  name: 'cleanup_packages',
  schedule: '@midnight',
  runAtStart: true,
  run: async (run) => {
    const { unused, unknown } = await cleanUpPackages(blobs, run)
    return unused + unknown > 0 ? `${unused} unused and ${unknown} unknown contents removed` : undefined
  },
})

/**
 * Removes from the disk what no package uses. It may run beside uploads and removals, and in several processes at once:
 * a content is removed while its name is held, so that nobody puts it there in that moment.
 */
export async function cleanUpPackages(
  blobs: Blobs,
  { sql, begin, now, signal }: Pick<CronRun, 'sql' | 'begin' | 'now' | 'signal'>,
): Promise<CleanedUp> {
  await blobs.tidy(new Date(now.getTime() - longestUpload))
  let unused = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    signal.throwIfAborted()
    const blobsHere: Awaited<ReturnType<typeof blobsAfter>> = await blobsAfter(sql, after, atOnce)
    for (const { sha256, is_used } of blobsHere) {
      if (!is_used && (await remove(begin, blobs, sha256))) unused++
    }
    after = blobsHere.at(-1)?.sha256
  }
  let unknown = 0
  for await (const names of inBatches(blobs.names())) {
    signal.throwIfAborted()
    for (const sha256 of await unknownBlobs(sql, names)) if (await remove(begin, blobs, sha256)) unknown++
  }
  return { unused, unknown }
}

/** The file goes before the row's end is committed: a crash leaves a row without a use, never a use without a file. */
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
    if (batch.length < atOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
