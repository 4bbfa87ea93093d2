import { firstRow, onlyRow } from '../../db/rows.ts'
import type { Tx } from '../../db/sql.ts'
import type { Account } from '../accounts/account-store.ts'
import type { EmailAddress } from '../accounts/email-address.ts'

/** A stored address of an account. */
export interface StoredAddress {
  id: number
  account_id: number
  address: string
  is_primary: boolean
  is_activated: boolean
}

/**
 * Adds an address. One that an account has, in any spelling and activated or not, violates `email_address_unique`. When
 * adding a primary address, the caller must set the account's `email` to the same.
 */
export const insertAddress = (
  tx: Tx,
  owner: Pick<Account, 'id' | 'kind'>,
  { address, key }: EmailAddress,
  as: { is_primary: boolean; is_activated: boolean },
) =>
  onlyRow(tx<[StoredAddress]>`
    insert into forge.email_address (account_id, address, key, is_primary, is_activated, is_listed, created_at)
    values (${owner.id}, ${address}, ${key}, ${as.is_primary}, ${as.is_activated}, ${owner.kind === 'person'}, ${tx.now})
    returning id, account_id, address, is_primary, is_activated`)

/** Deletes the primary address of an account before another one is inserted. */
export async function deletePrimaryAddress(tx: Tx, account: number): Promise<void> {
  await tx`
    delete from forge.email_address
    where account_id = ${account} and is_primary`
}

/**
 * Adds secondary addresses; skips those that any account has. Returns the keys of the added ones. All requests
 * insert in the same order, so that concurrent ones with the same addresses cannot deadlock.
 */
export async function insertAddresses(
  tx: Tx,
  owner: Pick<Account, 'id' | 'kind'>,
  addresses: readonly EmailAddress[],
  { is_activated }: { is_activated: boolean },
): Promise<string[]> {
  const sorted = [...addresses].sort((a, b) => (a.key < b.key ? -1 : 1))
  const rows = await tx<{ key: string }[]>`
    insert into forge.email_address (account_id, address, key, is_primary, is_activated, is_listed, created_at)
    select ${owner.id}, address, key, false, ${is_activated}, ${owner.kind === 'person'}, ${tx.now}
    from unnest(${sorted.map(({ address }) => address)}::text[], ${sorted.map(({ key }) => key)}::text[])
      with ordinality as input (address, key, place)
    order by place
    on conflict on constraint email_address_unique do nothing
    returning key`
  return rows.map(({ key }) => key)
}

/** Activates an address of an account; undefined: it has none that is not activated. */
export const activateAddress = (tx: Tx, account: number, key: string) =>
  firstRow(tx<{ id: number }[]>`
    update forge.email_address
    set is_activated = true
    where account_id = ${account} and key = ${key} and not is_activated
    returning id`)

/** Deletes those of these addresses that are secondary addresses of the account; returns the deleted keys. */
export async function deleteAddresses(tx: Tx, account: number, keys: readonly string[]): Promise<string[]> {
  const rows = await tx<{ key: string }[]>`
    delete from forge.email_address
    where account_id = ${account} and key = any(${keys}::text[]) and not is_primary
    returning key`
  return rows.map(({ key }) => key)
}

/** Makes an activated address of the account its primary one and returns its spelling; undefined: there is none. */
export async function movePrimary(tx: Tx, account: number, key: string): Promise<string | undefined> {
  const row = await firstRow(tx<{ id: number; address: string }[]>`
    select id, address
    from forge.email_address
    where account_id = ${account} and key = ${key} and is_activated`)
  if (!row) return undefined
  // One after the other: an index allows an account one primary address at any moment.
  await tx`
    update forge.email_address
    set is_primary = false
    where account_id = ${account} and is_primary and id <> ${row.id}`
  await tx`
    update forge.email_address
    set is_primary = true
    where id = ${row.id}`
  return row.address
}
