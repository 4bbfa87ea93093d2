import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** Maximum length of a socket's path on all systems (`sun_path` is 104 bytes on some, 108 on Linux). */
const MAX_PATH = 100

/** The path of a socket. */
interface SocketPath {
  path: string
  /** Must be called when the path is no longer used, after the server has closed, which removes the socket. */
  release: () => Promise<void>
}

/**
 * The path of a socket with this name in `folder`. On Linux, a path that is too long is replaced by one through an open
 * handle of the folder.
 * @throws Error of the file system if the folder cannot be opened
 */
export async function socketPath(folder: string, name: string): Promise<SocketPath> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= MAX_PATH) return { path, release: async () => {} }
  const handle = await open(folder)
  return { path: `/proc/self/fd/${handle.fd}/${name}`, release: () => handle.close() }
}
