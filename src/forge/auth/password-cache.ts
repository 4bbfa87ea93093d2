import { createHmac, randomBytes } from 'node:crypto'
import type { Passwords, Verdict } from './password.ts'
import type { Turn } from './semaphore.ts'

/** How long a verified password is remembered, in milliseconds. */
const remembered = 60_000

/** How many are remembered at one time. */
const most = 10_000

/** A password that somebody claims to be that of an account. */
export interface Claim {
  readonly password: string
  /** Undefined: there is no such account, or it has no password. */
  readonly account: { readonly id: number; readonly record: string } | undefined
  /** What came with the password as a second factor: only claims that are equal in this too are checked as one. */
  readonly code: string
  /** Whether a right password may be remembered: not where a second factor has to be guessed beside it. */
  readonly isRemembered: boolean
  readonly turn: Turn
}

/**
 * Checks passwords and remembers for a minute which were right: clients that send Basic with every call would
 * otherwise pay for a slow hash each time. What is kept is a keyed hash of account, stored record and password, and
 * the record is read anew for every call, so a changed or removed password is refused at once in every process.
 */
export class PasswordCache {
  readonly #secret = randomBytes(32)
  readonly #until = new Map<string, number>()
  readonly #running = new Map<string, Promise<Verdict>>()

  constructor(readonly passwords: Passwords) {}

  /**
   * Checks a password. Equal checks of one network that run at the same time are one, whether or not there is such an
   * account: otherwise the time that many of them take would tell.
   */
  async verify(claim: Claim, now: Date): Promise<Verdict> {
    const { account, password, isRemembered } = claim
    const key = account && isRemembered ? this.#hash([account.id, account.record, password]) : undefined
    if (key !== undefined && (this.#until.get(key) ?? 0) > now.getTime()) return 'match'
    const verdict = await this.#check(claim)
    if (verdict === 'match' && key !== undefined) this.#remember(key, now.getTime() + remembered)
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

  /** The oldest make room. */
  #remember(key: string, until: number): void {
    this.#until.delete(key)
    this.#until.set(key, until)
    const [oldest] = this.#until.keys()
    if (this.#until.size > most && oldest !== undefined) this.#until.delete(oldest)
  }
}
