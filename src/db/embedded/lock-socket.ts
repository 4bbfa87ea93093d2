import { open } from 'node:fs/promises'
import { createConnection, createServer, type Server } from 'node:net'
import { join } from 'node:path'

/** A listening socket whose only purpose is that the kernel closes it when this process ends. */
export interface Listener {
  close(): Promise<void>
}

/** Maximum length of a socket's path on all systems (`sun_path` is 104 bytes on some, 108 on Linux). */
const MAX_PATH = 100

export function socketName(token: string): string {
  return `${token}.sock`
}

/** Listens on the token's socket in `folder`; undefined where the file system has no sockets. */
export async function listen(folder: string, token: string): Promise<Listener | undefined> {
  const socket = await tokenPath(folder, token)
  const server = createServer((socket) => socket.destroy())
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(socket.path, () => resolve(true))
  })
  if (!listening) {
    await socket.release()
    return undefined
  }
  server.unref()
  return { close: () => closed(server).finally(socket.release) }
}

/** Whether a process on this kernel listens on the token's socket. True in case of doubt. */
export async function isListening(folder: string, token: string): Promise<boolean> {
  const target = await tokenPath(folder, token)
  const answer = await new Promise<boolean>((resolve) => {
    const socket = createConnection(target.path, () => resolve(true))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT')
    })
    socket.on('connect', () => socket.destroy())
  })
  await target.release()
  return answer
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

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

async function tokenPath(folder: string, token: string): Promise<SocketPath> {
  if (process.platform === 'win32')
    return { path: `\\\\.\\pipe\\forgehall-${token}`, release: async () => {} }
  return socketPath(folder, socketName(token))
}
