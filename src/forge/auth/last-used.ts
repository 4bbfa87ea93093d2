import type { Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import { touchAccount } from '../accounts/account.ts'
import { touchTokens } from './token-store.ts'

/** Uses of one thing are written at most so often, in milliseconds. */
const every = 60_000

/** How many are remembered at one time. */
const most = 10_000

interface Moment {
  sql: Sql
  now: Date
}

/** Notes who came with what, about once a minute and without letting the request wait. */
export class LastUsedTracker {
  readonly #noted = new Map<string, number>()

  constructor(readonly log: Log) {}

  noteToken({ sql, now }: Moment, token: { token_id: number; token_used_at: string | null }): void {
    const { token_id: id, token_used_at: before } = token
    this.#note({ token: id }, { before, now }, () => touchTokens(sql, [id], now))
  }

  /** A password was right. */
  noteLogin({ sql, now }: Moment, account: { id: number; last_login_at: string | null }): void {
    const { id, last_login_at: before } = account
    this.#note({ account: id }, { before, now }, () => touchAccount(sql, id, now))
  }

  #note(
    what: Record<string, number>,
    { before, now }: { before: string | null; now: Date },
    write: () => Promise<void>,
  ): void {
    const key = JSON.stringify(what)
    const last = Math.max(this.#noted.get(key) ?? 0, before ? Date.parse(before) : 0)
    if (now.getTime() - last < every) return
    if (this.#noted.size > most) this.#noted.clear()
    this.#noted.set(key, now.getTime())
    write().catch((error: unknown) => {
      this.log.warn('a use was not noted', { ...what, error: String(error) })
    })
  }
}
