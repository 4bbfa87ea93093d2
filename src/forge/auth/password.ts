import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { LimitError, Limiter } from '../../limiter/limiter.ts'
import { usageOf } from '../../limiter/usage.ts'
import { type Cost, formatRecord, parseRecord } from './password-record.ts'

/**
 * - `match`: the right password.
 * - `stale`: the right password, but stored with another cost than today's: hash it again and store that.
 * - `mismatch`: a wrong password, or an account without one.
 * - `busy`: not checked, because too many checks are waiting or this one was displaced: 503 with `Retry-After`.
 */
export type Verdict = 'match' | 'stale' | 'mismatch' | 'busy'

/** Whose check it is, and whether it is preferred and still needed. Networks take turns; within a turn, so do logins. */
export interface Turn {
  readonly network: string
  readonly login: string
  readonly isPreferred?: boolean
  /** Called before the check starts; false: the check is no longer needed. */
  readonly isNeeded?: () => boolean
}

/** Hashes and checks passwords on the thread pool, with bounded concurrency. */
export interface Passwords {
  /** Hashes a password with a new salt; returns the record to store, or `busy` when too many are waiting. */
  hash(password: string): Promise<string | 'busy'>
  /**
   * Checks a password against the stored record. Without a record (unknown user, account without password) the same
   * work is done for nothing, so that the time of the answer does not reveal which names exist. `turn` says whose work
   * it is.
   */
  verify(password: string, stored: string | undefined, turn?: Turn): Promise<Verdict>
}

interface PasswordOptions {
  readonly cost: Cost
  /** Maximum running. Each takes 128 · 2^ln · r bytes of memory and one thread of the pool (four by default). */
  readonly concurrency: number
  /** Maximum waiting. */
  readonly queue: number
}

/**
 * One of the costs that the OWASP Password Storage Cheat Sheet considers equivalent (32 MiB; 0.2 s on a slow core). One
 * pool thread always stays free for files and name look-ups.
 */
export const PASSWORD_DEFAULTS: PasswordOptions = {
  cost: { ln: 15, r: 8, p: 3 },
  concurrency: Math.min(availableParallelism(), 3),
  queue: 256,
}

const SALT_BYTES = 16
const HASH_BYTES = 32

/** Create one per process: its limits only hold if all callers share it. */
export function createPasswords(options: PasswordOptions): Passwords {
  const { cost: currentCost, ...limits } = options
  const limiter = new Limiter({ ...limits, usage: usageOf('password') })
  const decoy = { cost: currentCost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) }

  /** Undefined: the queue is full, a client with fewer waiting requests displaced it, or it is no longer needed. */
  async function whenFree(compute: () => Promise<Buffer>, turn?: Turn): Promise<Buffer | undefined> {
    const caller = turn && { keys: [turn.network, turn.login], isPreferred: turn.isPreferred ?? false }
    const work = async () => (turn?.isNeeded?.() === false ? undefined : compute())
    try {
      return await limiter.run(work, caller)
    } catch (error) {
      if (error instanceof LimitError) return undefined
      throw error
    }
  }

  async function hash(password: string): Promise<string | 'busy'> {
    const salt = randomBytes(SALT_BYTES)
    const computed = await whenFree(() => derive(password, salt, currentCost, HASH_BYTES))
    return computed ? formatRecord({ cost: currentCost, salt, hash: computed }) : 'busy'
  }

  async function verify(password: string, stored: string | undefined, turn?: Turn): Promise<Verdict> {
    const record = parseRecord(stored ?? '')
    const { cost, salt, hash } = record ?? decoy
    const computed = await whenFree(() => derive(password, salt, cost, hash.length), turn)
    if (!computed) return 'busy'
    const equal = timingSafeEqual(computed, hash)
    if (!record || !equal) return 'mismatch'
    return isEqual(cost, currentCost) && hash.length === HASH_BYTES ? 'match' : 'stale'
  }

  return { hash, verify }
}

function isEqual(a: Cost, b: Cost): boolean {
  return a.ln === b.ln && a.r === b.r && a.p === b.p
}

/** RFC 8265 §4.2: composed and decomposed spellings of one password are the same password. */
function derive(password: string, salt: Buffer, { ln, r, p }: Cost, length: number): Promise<Buffer> {
  // Node throws if its own estimate, blocks and buffers together, exceeds maxmem.
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 2 * 128 * r * (2 ** ln + p) }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, length, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
