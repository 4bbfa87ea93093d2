import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Passwords, Turn, Verdict } from './password.ts'

/** How long a verified password is remembered, in milliseconds. */
const cacheTime = 60_000

/** Maximum number of verified passwords remembered. */
const maxEntries = 10_000

/** A password to check against an account. */
interface Claim {
  readonly password: string
  /** Undefined if the account does not exist or has no password. */
  readonly account: { readonly id: number; readonly record: string } | undefined
  /** The second factor sent with the password: only claims with equal codes share one check. */
  readonly code: string
  /**
   * Whether a right password may be remembered; false if the account has a second factor, which would have to be
   * guessed too.
   */
  readonly isRemembered: boolean
  readonly turn: Turn
}

/**
 * Checks passwords and remembers right ones for a minute: clients that send Basic with every call would otherwise pay
 * for a slow hash each time. The cache holds a keyed hash of account, stored record and password. The stored record is
 * read again for every call, so every process refuses a changed or removed password at once.
 */
export class PasswordCache {
  readonly #secret = randomBytes(32)
  /** Until when each password is remembered, in milliseconds since 1970. */
  readonly #until = new LRUCache<string, number>({ max: maxEntries })
  readonly #running = new Map<string, Promise<Verdict>>()

  constructor(readonly passwords: Passwords) {}

  /**
   * Checks a password. Equal concurrent checks of one network share one run, whether or not the account exists;
   * otherwise the time of many concurrent checks would reveal which accounts exist.
   */
  async verify(claim: Claim, now: Date): Promise<Verdict> {
    const { account, password, isRemembered } = claim
    const key = account && isRemembered ? this.#hash([account.id, account.record, password]) : undefined
    if (key !== undefined && (this.#until.get(key) ?? 0) > now.getTime()) return 'match'
    const verdict = await this.#check(claim)
    if (verdict === 'match' && key !== undefined) this.#until.set(key, now.getTime() + cacheTime)
    return verdict
  }

  #check({ account, password, code, turn }: Claim): Promise<Verdict> {
    const record = account?.record
    const key = this.#hash([turn.network, turn.login, record ?? null, password, code])
    const running = this.#running.get(key)
    if (running) return running
    const check = this.passwords.verify(password, record, turn).finally(() => this.#running.delete(key))
    this.#running.set(key, check)
    return check
  }

  #hash(parts: readonly (string | number | null)[]): string {
    return createHmac('sha256', this.#secret).update(JSON.stringify(parts)).digest('base64')
  }
}
