import { DecryptionError, decryptedOrError, type Secrets } from '../../db/encryption/secrets.ts'
import type { RequestContext } from '../../http/route/route.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { Log } from '../../log.ts'
import { type Actor, accountTarget, record } from '../audit/audit-trail.ts'
import { firstValue, oneTimeCode } from './authorization.ts'
import type { LookupRow } from './lookup-store.ts'
import { recoveryCodeHash } from './recovery-code.ts'
import { isTotpCode, stepAt, verifyTotp } from './totp.ts'
import {
  claimTotpAttempt,
  decryptTotpSecret,
  impossibleLead,
  isRecoveryCodeOf,
  recoveryCodesLeft,
  useRecoveryCode,
  useTotpStep,
} from './totp-store.ts'

type LoginRow = Extract<LookupRow, { role: 'login' }>

/** Dependencies of the check of one-time codes. */
interface OneTimeCodeDeps {
  readonly secrets: Secrets
  readonly log: Log
}

/**
 * Whether the one-time code of a request (RFC 6238) is right, or the account needs none. Call it only after the password
 * was right; otherwise a caller who does not know the password could use up the attempts of an account. A recovery code
 * takes the place of a one-time code, once; it is too long to be guessed, so it takes no attempt.
 *
 * Each code works once; but a request that is authorized again may use its code again. An account without attempts left
 * gets the same answer as a wrong code, since any other answer would reveal that the password was right. A text that
 * cannot be a code is wrong and does not count as an attempt.
 */
export async function isCodeRight(
  deps: OneTimeCodeDeps,
  row: LoginRow,
  context: RequestContext<unknown>,
): Promise<boolean> {
  if (row.totp_secret === null) return true
  const { headers, sql, now, authorizedAt } = context
  const code = oneTimeCode(firstValue(headers['x-gitea-otp']), firstValue(headers['x-forgejo-otp']))
  const recovery = code === undefined ? undefined : recoveryCodeHash(code)
  if (recovery !== undefined) return isRecovered(row, recovery, context)
  const secret = decryptSecret(deps, row.id, row.totp_secret)
  if (code === undefined || !isTotpCode(code) || !secret) return false
  if (authorizedAt) return verifyTotp(secret, code, authorizedAt) !== undefined
  const attempts = await claimTotpAttempt(sql, row.id, stepAt(now))
  if (attempts === undefined) return false
  const used = row.totp_step ?? -1
  const step = verifyTotp(secret, code, now, used > stepAt(now) + impossibleLead ? -1 : used)
  if (step !== undefined && (await useTotpStep(sql, row.id, step))) return true
  await recordWrongCode(row, context, attempts)
  return false
}

/** Uses up a recovery code, and records that in the audit trail. */
async function isRecovered(
  row: LoginRow,
  hash: string,
  { begin, from, sql, now, authorizedAt }: RequestContext<unknown>,
): Promise<boolean> {
  if (authorizedAt) return isRecoveryCodeOf(sql, row.id, hash, authorizedAt)
  return begin(async (tx) => {
    if (!(await useRecoveryCode(tx, row.id, hash, now))) return false
    const left = await recoveryCodesLeft(tx, row.id)
    const target = accountTarget(row)
    await record(tx, actorOf(row, from), { action: 'user.recovery_code_used', target, details: { left } })
    return true
  })
}

/** If the secret was encrypted under another key, logs an error and returns undefined; then no code is right. */
function decryptSecret(
  { secrets, log }: OneTimeCodeDeps,
  account: number,
  encrypted: Uint8Array,
): Buffer | undefined {
  const secret = decryptedOrError(() => decryptTotpSecret(secrets, account, encrypted))
  if (!(secret instanceof DecryptionError)) return secret
  log.error('cannot check one-time codes', { account, error: secret.message })
  return undefined
}

/** Adds an entry to the audit trail. Attempts are limited, so an attacker cannot flood the trail. */
function recordWrongCode(
  row: LoginRow,
  { begin, from }: RequestContext<unknown>,
  attempts: number,
): Promise<void> {
  const event = { action: 'user.totp_failed', target: accountTarget(row), details: { attempts } } as const
  return begin((tx) => record(tx, actorOf(row, from), event))
}

const actorOf = (me: LoginRow, from: Origin): Actor => ({ caller: { me, impersonator: undefined }, from })
