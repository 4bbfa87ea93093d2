import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createConnection, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, hasCode, OperatorError } from '../common/errors.ts'
import { connectIn, listenIn } from '../common/socket-path.ts'

/** Milliseconds between heartbeats, and the time without one after which a holder elsewhere counts as dead. */
const HEARTBEAT = 2_000
const TIMEOUT = 10_000

/** The text of a lock file: the process that holds the folder. */
interface Holder {
  pid: number
  host: string
  /** When the lock was taken, ISO 8601. */
  since: string
  /** Id of the running kernel: only its processes can connect to the socket. */
  kernel: string
  /** Names the socket on which the holder listens. */
  token: string
  released?: boolean
}

/** A held lock. */
interface Lock {
  /** Resolves with the reason if another process takes the folder, because this one seemed dead (a suspended machine). */
  lost: Promise<string>
  release(): Promise<void>
}

/** Another process holds the folder. */
export class LockedError extends OperatorError {
  override name = 'LockedError'
}

/**
 * Locks the folder for this process, or rejects with LockedError. Two PostgreSQL instances on one folder would destroy
 * it, so in case of doubt this rejects.
 *
 * A lock is a numbered file in `<dataDir>/lock`; the highest number counts. Each is created exclusively and no number
 * is reused, so if several processes find the holder of file 7 dead, one of them creates file 8.
 *
 * The holder listens on a socket next to its file. The kernel closes it when the process ends, for any reason, so a
 * refused connection means that the holder is dead. Where the socket cannot be reached (another machine, or the same one
 * rebooted), the time of the file shows heartbeats.
 */
export async function acquireLock(dataDir: string): Promise<Lock> {
  const folder = join(dataDir, 'lock')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const token = randomBytes(8).toString('hex')
  // Linux generates this id at each boot; other systems have none, and the name of the host takes its place.
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(hostname)
  const [host, since, kernel] = [hostname(), new Date().toISOString(), bootId.trim()]
  const holder: Holder = { pid: process.pid, host, since, kernel, token }
  // The other end only needs the connection itself.
  const server = createServer((socket) => socket.destroy()).unref()
  try {
    // Some file systems have no sockets, such as those of Windows shares: there heartbeats are enough.
    await listenIn(folder, socketOf(holder), server).catch(() => {})
    const number = await claim(folder, holder)
    const remains = (name: string) => name === socketOf(holder) || Number(name) >= number
    for (const name of await readdir(folder))
      if (!remains(name)) await rm(join(folder, name), { force: true })
    return hold(folder, number, holder, server)
  } catch (error) {
    server.close()
    throw error
  }
}

const socketOf = ({ token }: Holder) => `${token}.sock`

/** Creates the next lock file once the holder of the highest one is dead; returns its number. */
async function claim(folder: string, holder: Holder): Promise<number> {
  for (;;) {
    const highest = await highestNumber(folder)
    await requireDead(folder, join(folder, `${highest}`), holder.kernel)
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
  return Math.max(0, ...(await readdir(folder)).map(Number).filter(Number.isInteger))
}

/** @throws LockedError if the holder of the file is alive; `kernel` is the one that runs here */
async function requireDead(folder: string, path: string, kernel: string): Promise<void> {
  const first = await readHeld(path)
  if (!first) return
  const answer = first.holder?.kernel === kernel ? await connect(folder, first.holder) : 'ENOENT'
  if (answer === 'ECONNREFUSED') return
  if (answer !== 'ENOENT') throw lockedBy(folder, first.holder)
  // A holder without its socket, which a later process may have removed, shows by heartbeats that it is alive.
  for (let waited = 0; waited < TIMEOUT; waited += HEARTBEAT / 4) {
    await sleep(HEARTBEAT / 4)
    const now = await readHeld(path)
    if (!now) return
    if (now.time !== first.time) throw lockedBy(folder, now.holder)
  }
}

function lockedBy(folder: string, holder: Holder | undefined): LockedError {
  const who = holder ? `process ${holder.pid} on ${holder.host} since ${holder.since}` : 'another process'
  return new LockedError(`${join(folder, '..')} is in use by ${who}; stop it first, or choose another folder`)
}

/**
 * The time of a lock file, and its holder if the text is whole; undefined if the file is gone or says that it is
 * released. Opened each time, so that a network file system asks its server.
 */
async function readHeld(path: string): Promise<{ time: number; holder?: Holder } | undefined> {
  try {
    const text = await readFile(path, 'utf8')
    const time = (await stat(path)).mtimeMs
    // A text without its end is being written, or its writer has died.
    if (!text.endsWith('}')) return { time }
    const holder: Holder = JSON.parse(text)
    return holder.released ? undefined : { time, holder }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Connects to the holder's socket; returns 'connected' or the code of the error. */
function connect(folder: string, holder: Holder): Promise<string | undefined> {
  return connectIn(folder, socketOf(holder), async (path) => {
    const socket = createConnection(path)
    const answer = await once(socket, 'connect').then(() => 'connected', codeOf)
    socket.destroy()
    return answer
  })
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
        if (hasCode(error, 'ENOENT')) resolve('The lock file is missing from the data folder')
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
