import { LRUCache } from 'lru-cache'
import type { Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import { touchAccount } from '../accounts/account-store.ts'
import { touchDeployKey } from '../ssh-keys/deploy-key-store.ts'
import { touchKey } from '../ssh-keys/key-store.ts'
import type { KeyRow } from './lookup-store.ts'
import { touchTokens } from './token-store.ts'

/** Minimum interval between two writes for one token or account, in milliseconds. */
const minInterval = 60_000

/** Maximum number of tokens, keys and accounts remembered. */
const maxEntries = 10_000

interface Moment {
  sql: Sql
  now: Date
}

/** Records the last use of tokens and SSH keys, and the last login of accounts, about once a minute, without delaying the request. */
export class LastUsedTracker {
  readonly #noted = new LRUCache<string, number>({ max: maxEntries })

  constructor(readonly log: Log) {}

  noteToken({ sql, now }: Moment, token: { token_id: number; token_used_at: string | null }): void {
    const { token_id: id, token_used_at: before } = token
    this.#note({ token: id }, { before, now }, () => touchTokens(sql, [id], now))
  }

  noteKey({ sql, now }: Moment, key: KeyRow): void {
    const { role, token_id: id, token_used_at: before } = key
    const touch = role === 'key' ? touchKey : touchDeployKey
    this.#note({ [role]: id }, { before, now }, () => touch(sql, id, now))
  }

  /** Records a successful password check. */
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
    if (now.getTime() - last < minInterval) return
    this.#noted.set(key, now.getTime())
    write().catch((error: unknown) => {
      this.log.warn('cannot record the last use', { ...what, error: String(error) })
    })
  }
}
