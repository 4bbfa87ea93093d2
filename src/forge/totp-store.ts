import type { Sql, Tx } from '../db/sql.ts'

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

/** Enrols an account for one-time codes, with a new secret if it was enrolled before. */
export async function upsertTotp(tx: Tx, account: number, secret: Uint8Array): Promise<void> {
  await tx`
    insert into forge.totp (account_id, secret, created_at)
    values (${account}, ${secret}, ${tx.now})
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
