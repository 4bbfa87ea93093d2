import { open } from 'node:fs/promises'
import { createConnection, createServer, type Server } from 'node:net'
import { join } from 'node:path'

/** A socket whose only use is that the kernel closes it when this process ends. */
export interface Listener {
  close(): Promise<void>
}

/** The longest path a socket can have anywhere (`sun_path` is 104 bytes on some systems, 108 on Linux). */
const LONGEST = 100

export function socketName(token: string): string {
  return `${token}.sock`
}

/** Listens on the token's socket in `folder`; undefined where the file system has no sockets. */
export async function listen(folder: string, token: string): Promise<Listener | undefined> {
  const place = await tokenPlace(folder, token)
  const server = createServer((socket) => socket.destroy())
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(place.path, () => resolve(true))
  })
  if (!listening) {
    await place.leave()
    return undefined
  }
  server.unref()
  return { close: () => closed(server).finally(place.leave) }
}

/** Whether a process of this kernel listens on the token's socket. Any doubt is a yes. */
export async function isListening(folder: string, token: string): Promise<boolean> {
  const place = await tokenPlace(folder, token)
  const answer = await new Promise<boolean>((resolve) => {
    const socket = createConnection(place.path, () => resolve(true))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT')
    })
    socket.on('connect', () => socket.destroy())
  })
  await place.leave()
  return answer
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

/** Where a socket is. */
interface SocketPlace {
  path: string
  /** To be called when nobody uses the path any more: after the server has closed, which removes it. */
  leave: () => Promise<void>
}

/**
 * Where a socket of this name in `folder` is. On Linux the way leads through the open folder where its own path is too long.
 * @throws Error of the file system when that cannot be opened
 */
export async function socketPlace(folder: string, name: string): Promise<SocketPlace> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= LONGEST) return { path, leave: async () => {} }
  const handle = await open(folder)
  return { path: `/proc/self/fd/${handle.fd}/${name}`, leave: () => handle.close() }
}

async function tokenPlace(folder: string, token: string): Promise<SocketPlace> {
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\forgehall-${token}`, leave: async () => {} }
  return socketPlace(folder, socketName(token))
}
