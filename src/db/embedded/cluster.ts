import { cluster } from 'embedded:postgres'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sync } from '../../fsync.ts'
import { decompress, type PackSource, unpack } from './pack.ts'

/**
 * Makes sure that `folder` is a PostgreSQL data folder: keeps an existing one and unpacks a missing one from the
 * bundle. The caller holds the lock, so no other process works on it.
 *
 * It is unpacked under a temporary name and renamed when every byte is on disk: after a crash or power failure during
 * the first start there is no folder of the final name, and the next start begins again.
 */
export async function ensureCluster(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const temporary = `${folder}.unfinished`
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary, { mode: 0o700 })
  await writeAll(temporary, unpack(await decompress(cluster())))
  await rename(temporary, folder)
  await sync(dirname(folder))
}

async function writeAll(root: string, sources: PackSource[]): Promise<void> {
  const folders = sources.flatMap(({ path, bytes }) => (bytes === null ? [join(root, path)] : []))
  for (const folder of folders) await mkdir(folder, { mode: 0o700 })
  await Promise.all(
    sources.map(async ({ path, bytes }) => {
      if (bytes !== null) await writeFile(join(root, path), bytes, { mode: 0o600, flush: true })
    }),
  )
  await Promise.all([...folders, root].map(sync))
}
