import type { Secrets } from '../../db/encryption/secrets.ts'
import { anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { decodeBase32, encodeBase32 } from './base32.ts'

/**
 * A stored step that is more than so many steps in the future shows that the clock was set back; it is ignored, because
 * the account could not sign in until that time. Clocks of several processes do not differ that much.
 */
export const impossibleLead = 10

/** Attempts that an account has before it is limited to one per time step. */
const freeAttempts = 5

/**
 * Claims an attempt in the time step `now`. Claim before comparing the code: then concurrent attempts, in any process,
 * cannot exceed the limit. Returns the number of attempts since the last right code, this one included; undefined if
 * none is left in this step.
 */
export async function claimTotpAttempt(sql: Sql, account: number, now: number): Promise<number | undefined> {
  const row = await firstRow(sql<{ attempts: number }[]>`
    update forge.totp
    set attempts = attempts + 1, attempt_step = ${now}
    where account_id = ${account} and (attempts < ${freeAttempts} or attempt_step < ${now} or attempt_step > ${now + impossibleLead})
    returning attempts`)
  return row?.attempts
}

/**
 * Records that the code of a time step was used, and resets the attempts. False if that step or a later one, up to
 * `impossibleLead`, was used before: of two requests with one code only one gets true.
 */
export const useTotpStep = (sql: Sql, account: number, step: number) =>
  anyRow(sql`
    update forge.totp
    set last_step = ${step}, attempts = 0
    where account_id = ${account} and (last_step < ${step} or last_step > ${step + impossibleLead})`)

/** Decrypts the stored secret of an account. @throws DecryptionError when it was encrypted under another key */
export function decryptTotpSecret(secrets: Secrets, account: number, encrypted: Uint8Array): Buffer {
  return decodeBase32(secrets.decrypt(encrypted, totpPurpose(account))) ?? Buffer.alloc(0)
}

/** Associated data of an account's encrypted secret (`db/encryption/secrets.ts`). */
export const totpPurpose = (account: number) => `totp of account ${account}`

/** Enrols an account for one-time codes; of an enrolled account, replaces the secret and deletes the recovery codes. */
export async function upsertTotp(
  tx: Tx,
  secrets: Secrets,
  account: number,
  secret: Uint8Array,
): Promise<void> {
  const encrypted = secrets.encrypt(encodeBase32(secret), totpPurpose(account))
  await tx`
    insert into forge.totp (account_id, secret, created_at)
    values (${account}, ${encrypted}, ${tx.now})
    on conflict on constraint totp_pkey
    do update set secret = excluded.secret, last_step = -1, attempts = 0, attempt_step = -1,
      created_at = excluded.created_at`
  await storeRecoveryCodes(tx, account, [])
}

/** Replaces the recovery codes of an enrolled account by those with these hashes. */
export async function storeRecoveryCodes(tx: Tx, account: number, hashes: readonly string[]): Promise<void> {
  await tx`
    delete from forge.recovery_code
    where account_id = ${account}`
  await tx`
    insert into forge.recovery_code (account_id, hash)
    select ${account}, hash
    from unnest(${[...hashes]}::text[]) as hash`
}

/** Uses up a recovery code; false if the account has no such code, or it was used before. */
export const useRecoveryCode = (tx: Tx, account: number, hash: string, now: Date) =>
  anyRow(tx`
    update forge.recovery_code
    set used_at = ${now}
    where account_id = ${account} and hash = ${hash} and used_at is null`)

/** Whether a recovery code was used at this moment. */
export const isRecoveryCodeOf = (sql: Sql, account: number, hash: string, usedAt: Date) =>
  anyRow(sql`
    select hash
    from forge.recovery_code
    where account_id = ${account} and hash = ${hash} and used_at = ${usedAt}`)

/** How many recovery codes of an account are left. */
export async function recoveryCodesLeft(sql: Sql, account: number): Promise<number> {
  const { left } = await onlyRow(sql<[{ left: number }]>`
    select count(*)::bigint as left
    from forge.recovery_code
    where account_id = ${account} and used_at is null`)
  return left
}

/** Returns whether the account was enrolled. */
export const deleteTotp = (tx: Tx, account: number) =>
  anyRow(tx`
    delete from forge.totp
    where account_id = ${account}`)
