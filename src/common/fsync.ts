import { open } from 'node:fs/promises'

/**
 * Flushes a file or folder to the disk: after a crash it is there with its content or its entries (open(2), fsync(2)).
 * Does nothing on Windows, which cannot open folders, nor sync files opened for reading.
 */
export async function sync(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}
