import { once } from 'node:events'
import { open } from 'node:fs/promises'
import type { Server } from 'node:net'
import { join } from 'node:path'

/** Maximum length of a socket's path on all systems (`sun_path` is 104 bytes on some, 108 on Linux). */
const MAX_PATH = 100

interface SocketPath {
  path: string
  /** Must be called when the path is no longer used, after the server has closed, which removes the socket. */
  release: () => Promise<void>
}

/**
 * The path of a socket with this name in `folder`. On Linux, a path that is too long is replaced by one through an open
 * handle of the folder.
 */
async function socketPath(folder: string, name: string): Promise<SocketPath> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= MAX_PATH) return { path, release: async () => {} }
  const handle = await open(folder)
  return { path: `/proc/self/fd/${handle.fd}/${name}`, release: () => handle.close() }
}

/** Makes the server listen on a new socket in `folder`, until it closes. Errors of single connections do not end it. */
export async function listenIn(folder: string, name: string, server: Server): Promise<void> {
  const { path, release } = await socketPath(folder, name)
  server.on('error', () => {}).once('close', release)
  await once(server.listen(path), 'listening')
}

/**
 * Calls `connect` with the path of the socket in `folder`, which is valid until its promise settles.
 * @throws Error of the file system if the folder cannot be opened
 */
export async function connectIn<Result>(
  folder: string,
  name: string,
  connect: (path: string) => Promise<Result>,
): Promise<Result> {
  const { path, release } = await socketPath(folder, name)
  return await connect(path).finally(release)
}
