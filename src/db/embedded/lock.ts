import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode, OperatorError } from '../../errors.ts'
import { isListening, type Listener, listen, socketName } from './lock-socket.ts'

/** Milliseconds between two signs of life, and after how long without one a holder out of sight counts as dead. */
const BEAT = 2_000
const SILENCE = 10_000

/** Who holds the folder, as its lock file says. */
export interface Holder {
  pid: number
  host: string
  /** When the lock was taken, ISO 8601. */
  since: string
}

interface LockRecord extends Holder {
  /** Tells lock files apart, and names the socket. */
  token: string
  /** The running kernel: its sockets can be asked from here. */
  kernel: string
  /** False when the folder's file system has no sockets. */
  socket: boolean
  released: boolean
}

/** A held lock. */
export interface Lock {
  /** Calls back if the lock is lost: the holder seemed dead (a suspended machine) and another process took the folder. */
  onLost(listener: (sentence: string) => void): void
  /** Gives the folder free. */
  release(): Promise<void>
}

/** The folder belongs to another process. */
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
 * Takes the folder for this process alone, or rejects with LockedError. Two PostgreSQLs on one folder destroy it, so
 * this errs on the side of refusing.
 *
 * A lock is a numbered file in `<dataDir>/lock`; the highest number counts. Each file is made exclusively, and no number
 * is ever used again: a holder that leaves marks its file instead of removing it. So of any number of starters that find
 * the holder of file 7 dead, one makes file 8.
 *
 * Whether a holder lives is asked from the kernel: the holder listens on a socket beside its file, and the kernel closes
 * that with the process, however it ends. Unlike a process number it is never reused, means the same in every container
 * of a machine, and answers while the holder is busy or suspended. Only where it cannot be asked (another machine on a
 * shared disk, a machine started anew, a file system without sockets) the file's time is watched for signs of life.
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

/** Names the running kernel. Linux draws a number at each start; elsewhere the host's name must do. */
function kernelId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return hostname()
  }
}

/** Makes the next lock file once the highest one is dead; returns its number. */
async function claim(dataDir: string, folder: string, record: LockRecord): Promise<number> {
  for (;;) {
    const highest = Math.max(0, ...(await numbers(folder)))
    if (highest > 0 && (await isHeld(folder, highest))) {
      throw new LockedError(dataDir, await readRecord(join(folder, `${highest}`)))
    }
    const mine = highest + 1
    if (!(await create(join(folder, `${mine}`), record))) continue
    // What was read before may be old: a later holder may have removed the number that has just been made.
    if (Math.max(...(await numbers(folder))) === mine) return mine
    await rm(join(folder, `${mine}`))
  }
}

async function isHeld(folder: string, number: number): Promise<boolean> {
  const path = join(folder, `${number}`)
  const record = await readRecord(path)
  if (record?.released) return false
  if (record?.socket && record.kernel === kernelId()) return isListening(folder, record.token)
  return showsLife(path)
}

/** Watches a lock file: true as soon as its time or content changes, false after a long silence or when it is gone. */
async function showsLife(path: string): Promise<boolean> {
  const before = await fingerprint(path)
  if (before === undefined) return false
  for (let waited = 0; waited < SILENCE; waited += BEAT / 4) {
    await sleep(BEAT / 4)
    const now = await fingerprint(path)
    if (now !== before) return now !== undefined
  }
  return false
}

/** Opened anew each time, so that a network file system asks its server. */
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

/** The record of a lock file, or undefined when the file is gone or its writer has not finished. */
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

/** Older files and the sockets they name; a socket no file names may belong to a starter that is still at it. */
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
  let tell: (sentence: string) => void = () => {}
  const timer = setInterval(async () => {
    const sentence = await beat(folder, number)
    if (sentence === undefined) return
    clearInterval(timer)
    tell(sentence)
  }, BEAT).unref()
  return {
    onLost: (callback) => {
      tell = callback
    },
    release: async () => {
      clearInterval(timer)
      await markReleased(path, record).finally(() => listener?.close())
    },
  }
}

/** A sign of life; gives the reason when the lock is lost. A disk that fails for a moment is none. */
async function beat(folder: string, number: number): Promise<string | undefined> {
  try {
    await utimes(join(folder, `${number}`), new Date(), new Date())
    const higher = (await numbers(folder)).some((other) => other > number)
    return higher ? 'Another process has taken the data folder' : undefined
  } catch (error) {
    return hasCode(error, 'ENOENT') ? 'The lock file has gone from the data folder' : undefined
  }
}

/**
 * What cannot be marked is free as well: a folder that has been removed meanwhile, and one on a full disk, whose lock is
 * as dead as that of a killed process once the socket is closed.
 */
async function markReleased(path: string, record: LockRecord): Promise<void> {
  const mark = `${path}.released`
  try {
    await writeFile(mark, JSON.stringify({ ...record, released: true }))
    await rename(mark, path)
  } catch {
    await rm(mark, { force: true }).catch(() => {})
  }
}
