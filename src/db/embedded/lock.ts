import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode, OperatorError } from '../../errors.ts'
import { isListening, type Listener, listen, socketName } from './lock-socket.ts'

/** Milliseconds between heartbeats, and the time without one after which a remote holder counts as dead. */
const HEARTBEAT = 2_000
const TIMEOUT = 10_000

/** The process that holds the folder, according to its lock file. */
interface Holder {
  pid: number
  host: string
  /** When the lock was taken, ISO 8601. */
  since: string
}

interface LockRecord extends Holder {
  /** Identifies the lock file, and names the socket. */
  token: string
  /** Id of the running kernel: sockets of processes on the same kernel can be checked. */
  kernel: string
  /** False when the folder's file system has no sockets. */
  socket: boolean
  released: boolean
}

/** A held lock. */
interface Lock {
  /**
   * Calls back if the lock is lost: this holder seemed dead (a suspended machine) and another process took the folder.
   */
  onLost(listener: (sentence: string) => void): void
  /** Releases the folder. */
  release(): Promise<void>
}

/** Another process holds the folder. */
export class LockedError extends OperatorError {
  override name = 'LockedError'
  constructor(
    readonly folder: string,
    readonly holder: Holder | undefined,
  ) {
    const who = holder ? `process ${holder.pid} on ${holder.host} since ${holder.since}` : 'another process'
    super(`${folder} is in use by ${who}; stop it first, or choose another folder`)
  }
}

/**
 * Locks the folder for this process, or rejects with LockedError. Two PostgreSQL instances on one folder would destroy
 * it, so this refuses in case of doubt.
 *
 * A lock is a numbered file in `<dataDir>/lock`; the highest number counts. Each file is created exclusively, and no
 * number is ever reused: a holder marks its file as released instead of removing it. So if several starting processes
 * find the holder of file 7 dead, only one of them creates file 8.
 *
 * The kernel tells whether a holder is alive: the holder listens on a socket beside its file, and the kernel closes the
 * socket when the process ends, for any reason. Unlike a process id, a socket is not reused, is the same in every
 * container of a machine, and accepts connections while the holder is busy or suspended. Only where the socket cannot
 * be checked (another machine on a shared disk, a rebooted machine, a file system without sockets), the modification
 * time of the file is watched for heartbeats.
 */
export async function acquireLock(dataDir: string): Promise<Lock> {
  const folder = join(dataDir, 'lock')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const token = randomBytes(8).toString('hex')
  const listener = await listen(folder, token)
  try {
    const record = recordOf(token, listener !== undefined)
    const number = await claim(dataDir, folder, record)
    await removeOlder(folder, number)
    return hold(folder, number, record, listener)
  } catch (error) {
    await listener?.close()
    throw error
  }
}

function recordOf(token: string, socket: boolean): LockRecord {
  const since = new Date().toISOString()
  return { pid: process.pid, host: hostname(), since, token, kernel: kernelId(), socket, released: false }
}

/** Id of the running kernel. Linux generates one at each boot; elsewhere the host name is used. */
function kernelId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return hostname()
  }
}

/** Creates the next lock file once the holder of the highest one is dead; returns its number. */
async function claim(dataDir: string, folder: string, record: LockRecord): Promise<number> {
  for (;;) {
    const highest = Math.max(0, ...(await numbers(folder)))
    if (highest > 0 && (await isHeld(folder, highest))) {
      throw new LockedError(dataDir, await readRecord(join(folder, `${highest}`)))
    }
    const next = highest + 1
    if (!(await create(join(folder, `${next}`), record))) continue
    // The list read above may be outdated: a later holder may have removed the number that was just created.
    if (Math.max(...(await numbers(folder))) === next) return next
    await rm(join(folder, `${next}`))
  }
}

async function isHeld(folder: string, number: number): Promise<boolean> {
  const path = join(folder, `${number}`)
  const record = await readRecord(path)
  if (record?.released) return false
  if (record?.socket && record.kernel === kernelId()) return isListening(folder, record.token)
  return hasHeartbeat(path)
}

/** Watches a lock file: true as soon as its time or content changes, false after the timeout or if the file is gone. */
async function hasHeartbeat(path: string): Promise<boolean> {
  const first = await fingerprint(path)
  if (first === undefined) return false
  for (let waited = 0; waited < TIMEOUT; waited += HEARTBEAT / 4) {
    await sleep(HEARTBEAT / 4)
    const current = await fingerprint(path)
    if (current !== first) return current !== undefined
  }
  return false
}

/** Opens the file each time, so that a network file system asks its server. */
async function fingerprint(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined)
  if (!file) return undefined
  try {
    return `${(await file.stat()).mtimeMs} ${await file.readFile('utf8')}`
  } finally {
    await file.close()
  }
}

async function numbers(folder: string): Promise<number[]> {
  return (await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number)
}

/** The record in a lock file, or undefined if the file is gone or not completely written. */
async function readRecord(path: string): Promise<LockRecord | undefined> {
  try {
    const record: LockRecord = JSON.parse(await readFile(path, 'utf8'))
    return record
  } catch {
    return undefined
  }
}

async function create(path: string, record: LockRecord): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(record), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** Removes older files and their sockets; a socket without a file may belong to a process that is still starting. */
async function removeOlder(folder: string, number: number): Promise<void> {
  for (const older of await numbers(folder)) {
    if (older >= number) continue
    const path = join(folder, `${older}`)
    const record = await readRecord(path)
    if (record) await rm(join(folder, socketName(record.token)), { force: true })
    await rm(path, { force: true })
  }
}

function hold(folder: string, number: number, record: LockRecord, listener: Listener | undefined): Lock {
  const path = join(folder, `${number}`)
  let notify: (sentence: string) => void = () => {}
  const timer = setInterval(async () => {
    const sentence = await heartbeat(folder, number)
    if (sentence === undefined) return
    clearInterval(timer)
    notify(sentence)
  }, HEARTBEAT).unref()
  return {
    onLost: (callback) => {
      notify = callback
    },
    release: async () => {
      clearInterval(timer)
      await markReleased(path, record).finally(() => listener?.close())
    },
  }
}

/** Sends a heartbeat; returns the reason if the lock is lost. A temporary disk error does not lose it. */
async function heartbeat(folder: string, number: number): Promise<string | undefined> {
  try {
    await utimes(join(folder, `${number}`), new Date(), new Date())
    const higher = (await numbers(folder)).some((other) => other > number)
    return higher ? 'Another process has taken the data folder' : undefined
  } catch (error) {
    return hasCode(error, 'ENOENT') ? 'The lock file has gone from the data folder' : undefined
  }
}

/**
 * Marks the lock file as released. Errors are ignored: if the folder has been removed or the disk is full, the lock
 * counts as released all the same once the socket is closed, like that of a killed process.
 */
async function markReleased(path: string, record: LockRecord): Promise<void> {
  const temporary = `${path}.released`
  try {
    await writeFile(temporary, JSON.stringify({ ...record, released: true }))
    await rename(temporary, path)
  } catch {
    await rm(temporary, { force: true }).catch(() => {})
  }
}
