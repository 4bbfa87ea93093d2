import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inflate } from './inflate.ts'
import { type PackedFile, unpack } from './pack.ts'

/**
 * Makes sure that `folder` is a PostgreSQL data folder: keeps an existing one and unpacks a missing one. No other
 * process may work on it.
 *
 * It is unpacked under a temporary name and renamed when every byte is on disk: after a crash or power failure during
 * the first start there is no folder of the final name, and the next start begins again.
 */
export async function ensureCluster(folder: string, packed: () => Uint8Array): Promise<void> {
  if (existsSync(folder)) return
  const temporary = `${folder}.unfinished`
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary, { mode: 0o700 })
  await writeAll(temporary, unpack(await inflate(packed())))
  await rename(temporary, folder)
  await syncFolder(dirname(folder))
}

async function writeAll(root: string, entries: PackedFile[]): Promise<void> {
  const folders = entries.flatMap(({ path, bytes }) => (bytes === null ? [join(root, path)] : []))
  for (const folder of folders) await mkdir(folder, { mode: 0o700 })
  await Promise.all(
    entries.map(async ({ path, bytes }) => {
      if (bytes !== null) await writeFile(join(root, path), bytes, { mode: 0o600, flush: true })
    }),
  )
  await Promise.all([...folders, root].map(syncFolder))
}

/** Flushes the names in a folder to the disk. Windows cannot open folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
