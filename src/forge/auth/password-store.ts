import { firstRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** The record of an account's password, locked until the transaction ends; undefined: it has none. */
export async function lockPassword(tx: Tx, account: number): Promise<string | undefined> {
  const row = await firstRow(tx<{ record: string }[]>`
    select record
    from forge.password
    where account_id = ${account}
    for update`)
  return row?.record
}

/** Stores the password of an account; `record` comes from `Passwords.hash`. */
export async function upsertPassword(tx: Tx, account: number, record: string): Promise<void> {
  await tx`
    insert into forge.password (account_id, record, changed_at)
    values (${account}, ${record}, ${tx.now})
    on conflict on constraint password_pkey
    do update set record = excluded.record, changed_at = excluded.changed_at`
}

/** Replaces the record `old` by a newer one of the same password, unless the password was changed meanwhile. */
export async function renewPassword(sql: Sql, account: number, old: string, record: string): Promise<void> {
  await sql`
    update forge.password
    set record = ${record}
    where account_id = ${account} and record = ${old}`
}
