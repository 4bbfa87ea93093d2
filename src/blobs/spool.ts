import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sync } from '../common/fsync.ts'
import { removeEntries } from '../git/repository/files.ts'
import type { Blobs } from './blobs.ts'
import { openUpload } from './upload.ts'

/** The folder of unfinished uploads below the root of all contents. */
export const spoolName = '.temporary'

/**
 * Uploads in progress, as files of a folder that is created when it is needed. Those that are `durable` are on the disk
 * when they are complete.
 */
export function createSpool(
  folder: string,
  { durable }: { durable: boolean },
): Pick<Blobs, 'startUpload' | 'tidy'> {
  return {
    startUpload: async (others = []) => {
      const made = await mkdir(folder, { recursive: true })
      if (made !== undefined) await sync(join(made, '..'))
      return openUpload(join(folder, randomUUID()), { durable, others })
    },
    tidy: async (before) => void (await removeEntries(folder, before)),
  }
}
