import { open } from 'node:fs/promises'

/**
 * Puts a file or folder itself on the disk: after a crash it is there with its content or its names (open(2), fsync(2)).
 * Windows opens no folder and syncs no file that is only read; nothing is done there.
 */
export async function sync(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}
