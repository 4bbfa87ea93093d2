import type { Secrets } from '../../db/encryption/secrets.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { decodeBase32, encodeBase32 } from './base32.ts'

/** Attempts that an account has before it is limited to one for each time step. */
const freeAttempts = 5

/**
 * Claims an attempt at a code in the time step `now`, before the code is compared: of concurrent attempts, in whatever
 * process, no more succeed than are allowed. Gives the number of attempts since the last right code, this one included;
 * undefined when none is left in this step.
 */
export async function claimTotpAttempt(sql: Sql, account: number, now: number): Promise<number | undefined> {
  const [claimed] = await sql<{ attempts: number }[]>`
    update forge.totp
    set attempts = attempts + 1, attempt_step = ${now}
    where account_id = ${account} and (attempts < ${freeAttempts} or attempt_step < ${now})
    returning attempts`
  return claimed?.attempts
}

/**
 * Notes that the code of a time step was used, unless that or a later one was before. Of two requests with one code
 * only one is told true. The count of attempts starts anew.
 */
export async function useTotpStep(sql: Sql, account: number, step: number): Promise<boolean> {
  const used = await sql`
    update forge.totp
    set last_step = ${step}, attempts = 0
    where account_id = ${account} and last_step < ${step}`
  return used.count === 1
}

/**
 * The secret of an account in the clear, from what is stored.
 * @throws SealError when it was sealed under another key
 */
export function openTotpSecret(secrets: Secrets, account: number, sealed: Uint8Array): Buffer {
  return decodeBase32(secrets.open(sealed, totpPurpose(account))) ?? Buffer.alloc(0)
}

/** For what the secret of an account is sealed (`db/encryption/secrets.ts`). */
export const totpPurpose = (account: number) => `totp of account ${account}`

/** Enrols an account for one-time codes, with a new secret if it was enrolled before. */
export async function upsertTotp(
  tx: Tx,
  secrets: Secrets,
  account: number,
  secret: Uint8Array,
): Promise<void> {
  const sealed = secrets.seal(encodeBase32(secret), totpPurpose(account))
  await tx`
    insert into forge.totp (account_id, secret, created_at)
    values (${account}, ${sealed}, ${tx.now})
    on conflict on constraint totp_pkey
    do update set secret = excluded.secret, last_step = -1, attempts = 0, attempt_step = -1,
      created_at = excluded.created_at`
}

/** Whether there was something to end. */
export async function deleteTotp(tx: Tx, account: number): Promise<boolean> {
  const ended = await tx`
    delete from forge.totp
    where account_id = ${account}`
  return ended.count === 1
}
