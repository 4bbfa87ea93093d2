import { join } from 'node:path'
import type { Blobs } from './blobs.ts'
import { createFolder } from './folder.ts'

/** Settings that say where contents are. */
interface BlobSettings {
  /** Absolute path. */
  dataDir: string
}

/** The contents of packages, which the caller must close. Nothing is read or written yet. */
export function openBlobs({ dataDir }: BlobSettings): Blobs {
  return createFolder(join(dataDir, 'packages'))
}
