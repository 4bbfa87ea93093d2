import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createConnection, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode, OperatorError } from '../errors.ts'
import { socketPath } from '../socket-path.ts'

/** Milliseconds between heartbeats, and the time without one after which a holder elsewhere counts as dead. */
const HEARTBEAT = 2_000
const TIMEOUT = 10_000

/** The text of a lock file: the process that holds the folder. */
interface Holder {
  pid: number
  host: string
  /** When the lock was taken, ISO 8601. */
  since: string
  /** Id of the running kernel: only its processes can ask the socket. */
  kernel: string
  /** Names the socket on which the holder listens. */
  token: string
  released?: boolean
}

/** A held lock. */
interface Lock {
  /**
   * Resolves with the reason if another process takes the folder, because this one seemed dead (a suspended machine).
   */
  lost: Promise<string>
  release(): Promise<void>
}

/** Another process holds the folder. */
export class LockedError extends OperatorError {
  override name = 'LockedError'
}

/**
 * Locks the folder for this process, or rejects with LockedError. Two PostgreSQL instances on one folder would destroy
 * it, so this refuses in case of doubt.
 *
 * A lock is a numbered file in `<dataDir>/lock`; the highest number counts. Each is created exclusively and no number
 * is reused, so if several processes find the holder of file 7 dead, one of them creates file 8.
 *
 * The holder listens on a socket next to its file. The kernel closes it when the process ends, for any reason, so a
 * refused connection means that the holder is dead. Only where the socket cannot be asked (another machine, or the same
 * one rebooted), the time of the file is watched for heartbeats.
 */
export async function acquireLock(dataDir: string): Promise<Lock> {
  const folder = join(dataDir, 'lock')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const token = randomBytes(8).toString('hex')
  const server = await listen(folder, `${token}.sock`)
  try {
    const [host, since, kernel] = [hostname(), new Date().toISOString(), await kernelId()]
    const holder: Holder = { pid: process.pid, host, since, kernel, token }
    const number = await claim(folder, holder)
    const remains = (name: string) => name !== `${token}.sock` && !(Number(name) >= number)
    for (const name of (await readdir(folder)).filter(remains)) await rm(join(folder, name), { force: true })
    return hold(folder, number, holder, server)
  } catch (error) {
    server.close()
    throw error
  }
}

/** Creates the next lock file once the holder of the highest one is dead; returns its number. */
async function claim(folder: string, holder: Holder): Promise<number> {
  for (;;) {
    const highest = await highestNumber(folder)
    await requireDead(folder, join(folder, `${highest}`))
    const next = join(folder, `${highest + 1}`)
    try {
      await writeFile(next, JSON.stringify(holder), { flag: 'wx', mode: 0o600 })
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue
      throw error
    }
    // The number read above may be outdated: a later holder may have removed the file that was just created again.
    if ((await highestNumber(folder)) === highest + 1) return highest + 1
    await rm(next)
  }
}

async function highestNumber(folder: string): Promise<number> {
  return Math.max(0, ...(await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number))
}

/** @throws LockedError if the holder of the file is alive */
async function requireDead(folder: string, path: string): Promise<void> {
  const first = await read(path)
  if (!first || first.holder?.released) return
  if (first.holder?.kernel === (await kernelId())) {
    const answer = await connect(folder, `${first.holder.token}.sock`)
    if (answer === 'ECONNREFUSED') return
    // Without its socket, which a later starter may have removed, the holder is known by its heartbeats.
    if (answer !== 'ENOENT') throw lockedBy(folder, first.holder)
  }
  for (let waited = 0; waited < TIMEOUT; waited += HEARTBEAT / 4) {
    await sleep(HEARTBEAT / 4)
    const now = await read(path)
    if (!now || now.holder?.released) return
    if (now.time !== first.time || now.text !== first.text) throw lockedBy(folder, now.holder)
  }
}

function lockedBy(folder: string, holder: Holder | undefined): LockedError {
  const who = holder ? `process ${holder.pid} on ${holder.host} since ${holder.since}` : 'another process'
  return new LockedError(`${join(folder, '..')} is in use by ${who}; stop it first, or choose another folder`)
}

/** A lock file; undefined if it is gone. Opened each time, so that a network file system asks its server. */
async function read(path: string): Promise<{ text: string; time: number; holder?: Holder } | undefined> {
  try {
    const file = { text: await readFile(path, 'utf8'), time: (await stat(path)).mtimeMs }
    // A text without its end is being written, or its writer has died.
    return file.text.endsWith('}') ? { ...file, holder: JSON.parse(file.text) } : file
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function hold(folder: string, number: number, holder: Holder, server: Server): Lock {
  const path = join(folder, `${number}`)
  let timer: NodeJS.Timeout | undefined
  const lost = new Promise<string>((resolve) => {
    timer = setInterval(async () => {
      try {
        await utimes(path, new Date(), new Date())
        if ((await highestNumber(folder)) > number) resolve('Another process has taken the data folder')
      } catch (error) {
        // A temporary disk error does not lose the lock.
        if (hasCode(error, 'ENOENT')) resolve('The lock file has gone from the data folder')
      }
    }, HEARTBEAT).unref()
  })
  const release = async () => {
    clearInterval(timer)
    await writeFile(path, JSON.stringify({ ...holder, released: true }), { flag: 'r+' }).catch(() => {})
    await once(server.close(), 'close')
  }
  return { lost, release }
}

/** Id of the running kernel. Linux generates one at each boot; elsewhere the host name is used. */
async function kernelId(): Promise<string> {
  const id = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(hostname)
  return id.trim()
}

async function listen(folder: string, name: string): Promise<Server> {
  const { path, release } = await socketPath(folder, name)
  const server = createServer((socket) => socket.destroy())
  // The other end needs no more than the connection itself.
  server.on('error', () => {}).once('close', release)
  await once(server.listen(path), 'listening')
  return server.unref()
}

/** What a connection ends in: 'connected' or the code of the error. */
async function connect(folder: string, name: string): Promise<unknown> {
  const { path, release } = await socketPath(folder, name)
  const socket = createConnection(path)
  try {
    await once(socket, 'connect')
    return 'connected'
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code
  } finally {
    socket.destroy()
    await release()
  }
}
