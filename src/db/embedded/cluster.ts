import { cluster } from 'embedded:postgres'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sync } from '../../fsync.ts'
import { decompress, type PackSource, unpack } from './pack.ts'

/**
 * Makes sure that `folder` holds a PostgreSQL data folder: an existing one is left alone, a missing one is unpacked from
 * the bundle. The caller holds the lock, so nobody else works at it.
 *
 * It is unpacked beside its place and renamed when every byte is on disk: a crash or a power cut in the middle of the
 * first start leaves no folder under the name that counts, and the next start begins afresh.
 */
export async function ensureCluster(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await writeAll(unfinished, unpack(await decompress(cluster())))
  await rename(unfinished, folder)
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
