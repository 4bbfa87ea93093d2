import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { Blobs } from './blobs.ts'
import { createFolder } from './folder.ts'
import { createS3 } from './s3/s3.ts'
import type { S3Settings } from './s3/settings.ts'
import { spoolName } from './spool.ts'

/** Settings for where contents are stored. */
interface BlobSettings {
  /** Absolute path. */
  dataDir: string
  /** Absent: in `dataDir`. */
  s3: S3Settings | undefined
}

/**
 * The contents of packages, which the caller must close. Nothing is read or written yet. Slow and failing requests to a
 * store get a line in `log`.
 */
export function openBlobs({ dataDir, s3 }: BlobSettings, log?: Log): Blobs {
  const root = join(dataDir, 'packages')
  return s3 ? createS3(s3, join(root, spoolName), { log }) : createFolder(root)
}
