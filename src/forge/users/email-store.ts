import type { Tx } from '../../db/sql.ts'
import type { Account } from '../accounts/account.ts'
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

/**
 * Adds further, activated addresses; what anybody has already is left out and not given back. In one order for all,
 * so that two who add the same wait for each other only one way.
 */
export async function insertAddresses(
  tx: Tx,
  owner: Pick<Account, 'id' | 'kind'>,
  addresses: readonly EmailAddress[],
): Promise<(StoredAddress & { key: string })[]> {
  const sorted = [...addresses].sort((a, b) => (a.key < b.key ? -1 : 1))
  return await tx<(StoredAddress & { key: string })[]>`
    insert into forge.email_address (account_id, address, key, is_primary, is_activated, is_listed, created_at)
    select ${owner.id}, address, key, false, true, ${owner.kind === 'person'}, ${tx.now}
    from unnest(${sorted.map(({ address }) => address)}::text[], ${sorted.map(({ key }) => key)}::text[])
      with ordinality as wanted (address, key, place)
    order by place
    on conflict on constraint email_address_unique do nothing
    returning id, account_id, address, key, is_primary, is_activated`
}

/** Deletes those of these addresses that the account has beside its primary one; gives back the keys of what is gone. */
export async function deleteAddresses(tx: Tx, account: number, keys: readonly string[]): Promise<string[]> {
  const rows = await tx<{ key: string }[]>`
    delete from forge.email_address
    where account_id = ${account} and key = any(${keys}::text[]) and not is_primary
    returning key`
  return rows.map(({ key }) => key)
}
