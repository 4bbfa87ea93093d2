import type { Tx } from '../db/sql.ts'
import type { Account } from './account.ts'
import type { EmailAddress } from './email-address.ts'

/** An address of an account as it is stored. */
export interface StoredAddress {
  id: number
  account_id: number
  address: string
  is_primary: boolean
  is_activated: boolean
}

/**
 * Adds an address. One that somebody has, in whatever spelling and activated or not, is refused by
 * `email_address_unique`. Whoever adds a primary one sets the `email` of the account to the same.
 */
export async function insertAddress(
  tx: Tx,
  owner: Pick<Account, 'id' | 'kind'>,
  { address, key }: EmailAddress,
  as: { is_primary: boolean; is_activated: boolean },
): Promise<StoredAddress> {
  const [stored] = await tx<[StoredAddress]>`
    insert into forge.email_address (account_id, address, key, is_primary, is_activated, is_listed, created_at)
    values (${owner.id}, ${address}, ${key}, ${as.is_primary}, ${as.is_activated}, ${owner.kind === 'person'}, ${tx.now})
    returning id, account_id, address, is_primary, is_activated`
  return stored
}

/** Deletes the primary address of an account, to make room for another. */
export async function deletePrimaryAddress(tx: Tx, account: number): Promise<void> {
  await tx`
    delete from forge.email_address
    where account_id = ${account} and is_primary`
}
