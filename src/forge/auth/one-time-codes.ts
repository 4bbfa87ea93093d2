import { DecryptionError, type Secrets } from '../../db/encryption/secrets.ts'
import type { RequestContext } from '../../http/route/route.ts'
import type { Log } from '../../log.ts'
import { record } from '../admin/audit-trail.ts'
import { one, oneTimeCode } from './authorization.ts'
import type { Answered } from './lookup.ts'
import { isTotpCode, stepAt, verifyTotp } from './totp.ts'
import { claimTotpAttempt, openTotpSecret, useTotpStep } from './totp-store.ts'

type LoginRow = Extract<Answered, { role: 'login' }>

/** What checking one-time codes stands on. */
interface OneTimeCodeDeps {
  readonly secrets: Secrets
  readonly log: Log
}

/**
 * Checks one-time codes (RFC 6238). Call it only when the password was right: whoever does not know the password must not
 * be able to use up the attempts of an account.
 */
export class OneTimeCodes {
  readonly #parts: OneTimeCodeDeps

  constructor(parts: OneTimeCodeDeps) {
    this.#parts = parts
  }

  /**
   * Whether a right code came, or the account needs none. Each code is good once. An account without attempts left gets
   * the same answer as a wrong code, since any other answer would tell that the password was right. A text that cannot
   * be a code is refused and costs no attempt.
   */
  async isRight(row: LoginRow, context: RequestContext<unknown>): Promise<boolean> {
    if (row.totp_secret === null) return true
    const { headers, sql, now } = context
    const code = oneTimeCode(one(headers['x-gitea-otp']), one(headers['x-forgejo-otp']))
    const secret = this.#openSecret(row.id, row.totp_secret)
    if (code === undefined || !isTotpCode(code) || !secret) return false
    const attempts = await claimTotpAttempt(sql, row.id, stepAt(now))
    if (attempts === undefined) return false
    const step = verifyTotp(secret, code, now, row.totp_step ?? -1)
    if (step !== undefined && (await useTotpStep(sql, row.id, step))) return true
    await recordWrongCode(row, context, attempts)
    return false
  }

  /** Undefined, and a line in the log, when the key is not the one that it was sealed under: then no code is right. */
  #openSecret(account: number, sealed: Uint8Array): Buffer | undefined {
    try {
      return openTotpSecret(this.#parts.secrets, account, sealed)
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error
      this.#parts.log.error('one-time codes cannot be checked', { account, error: error.message })
      return undefined
    }
  }
}

/** There are no more of these entries than attempts that could be claimed, so nobody can flood the trail with them. */
function recordWrongCode(
  row: LoginRow,
  { begin, from }: RequestContext<unknown>,
  attempts: number,
): Promise<void> {
  const { id, name } = row
  const target = { kind: 'user', id, name }
  const by = { caller: { me: row, behind: undefined }, from }
  return begin((tx) => record(tx, by, { action: 'user.totp_failed', target, details: { attempts } }))
}
