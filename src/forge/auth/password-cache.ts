import { createHmac, randomBytes } from 'node:crypto'
import type { Passwords, Verdict } from './password.ts'

/** How long a verified password is remembered, in milliseconds. */
const remembered = 60_000

/** How many are remembered at one time. */
const most = 10_000

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

  /** Checks a password against the record of an account; equal checks that run at the same time are one. */
  async verify(account: number, record: string, password: string, now: Date): Promise<Verdict> {
    const key = createHmac('sha256', this.#secret)
      .update(JSON.stringify([account, record, password]))
      .digest('base64')
    if ((this.#until.get(key) ?? 0) > now.getTime()) return 'match'
    const running = this.#running.get(key) ?? this.#start(key, record, password)
    const verdict = await running
    if (verdict === 'match') this.#remember(key, now.getTime() + remembered)
    return verdict
  }

  #start(key: string, record: string, password: string): Promise<Verdict> {
    const check = this.passwords.verify(password, record).finally(() => this.#running.delete(key))
    this.#running.set(key, check)
    return check
  }

  /** The oldest make room. */
  #remember(key: string, until: number): void {
    this.#until.delete(key)
    this.#until.set(key, until)
    const [oldest] = this.#until.keys()
    if (this.#until.size > most && oldest !== undefined) this.#until.delete(oldest)
  }
}
