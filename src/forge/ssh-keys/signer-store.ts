import { allRows } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'

/** An account with a key and an address that it has activated. */
interface KeyOwner {
  fingerprint: string
  email_key: string
  name: string
}

/** The owners of these keys, once for each of these addresses (`emailKey`) that they have. */
export const ownersOfKeys = (sql: Sql, fingerprints: readonly string[], emailKeys: readonly string[]) =>
  allRows(sql<KeyOwner[]>`
    select key.fingerprint, email_address.key as email_key, account.name
    from forge.ssh_key as key
    join forge.account as account on account.id = key.account_id
    join forge.email_address on email_address.account_id = key.account_id
    where key.fingerprint = any(${fingerprints}::text[])
      and email_address.key = any(${emailKeys}::text[]) and email_address.is_activated`)
