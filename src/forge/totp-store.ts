import type { Secrets } from '../db/secrets.ts'
import type { Sql, Tx } from '../db/sql.ts'
import { decodeBase32, encodeBase32 } from './base32.ts'

/**
 * Notes that the code of a time step was used, unless that or a later one was before. Of two requests with one code
 * only one is told true.
 */
export async function useTotpStep(sql: Sql, account: number, step: number): Promise<boolean> {
  const used = await sql`
    update forge.totp
    set last_step = ${step}
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

/** For what the secret of an account is sealed (`db/secrets.ts`). */
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
    do update set secret = excluded.secret, last_step = -1, created_at = excluded.created_at`
}

/** Whether there was something to end. */
export async function deleteTotp(tx: Tx, account: number): Promise<boolean> {
  const ended = await tx`
    delete from forge.totp
    where account_id = ${account}`
  return ended.count === 1
}
