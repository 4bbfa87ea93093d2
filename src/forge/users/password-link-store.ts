import { firstRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** A link with which somebody sets a new password. */
interface PasswordLink {
  account_id: number
  /** A hash of the password's record as the link was made; null: there was none. The link ends with that password. */
  password_hash: string | null
}

interface PasswordLinkDraft {
  account: number
  /** Of the secret in the link. */
  hash: string
  expiresAt: Date
}

/** Stores the link of an account, in place of an earlier one. */
export async function upsertPasswordLink(tx: Tx, draft: PasswordLinkDraft): Promise<void> {
  await tx`
    insert into forge.password_link (account_id, hash, password_hash, expires_at)
    select account.id, ${draft.hash}, encode(sha256(convert_to(password.record, 'UTF8')), 'hex'), ${draft.expiresAt}
    from forge.account
    left join forge.password on password.account_id = account.id
    where account.id = ${draft.account}
    on conflict on constraint password_link_pkey
    do update set hash = excluded.hash, password_hash = excluded.password_hash, expires_at = excluded.expires_at`
}

/** The link with this hash, unless it was used, replaced or has expired, or the password has changed since. */
export const passwordLink = (sql: Sql, hash: string, now: Date) =>
  firstRow(sql<PasswordLink[]>`
    select password_link.account_id, password_link.password_hash
    from forge.password_link
    left join forge.password on password.account_id = password_link.account_id
    where hash = ${hash} and expires_at > ${now}
      and password_hash is not distinct from encode(sha256(convert_to(password.record, 'UTF8')), 'hex')`)

/** Removes the link of an account, which has been used. */
export async function deletePasswordLink(tx: Tx, account: number): Promise<void> {
  await tx`
    delete from forge.password_link
    where account_id = ${account}`
}
