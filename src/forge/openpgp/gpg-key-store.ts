import { type Page, type Paging, pageOf } from '../../db/page.ts'
import { allRows, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { Certificate, KeyUse } from './certificate.ts'

/** A primary key or subkey as it is stored. */
export interface StoredGpgKey {
  id: number
  parent_id: number | null
  account_id: number
  fingerprint: string
  key_id: string
  packet: Buffer
  /** Those in its user ids, and in lower case those that its account has activated. */
  emails: string[]
  activated: string[]
  is_verified: boolean
  can_sign: boolean
  can_certify: boolean
  can_encrypt_messages: boolean
  can_encrypt_files: boolean
  created_at: string
  expires_at: string | null
  added_at: string
}

const columns = (sql: Sql) => sql`
  id, parent_id, account_id, fingerprint, key_id, packet, emails, is_verified, can_sign, can_certify,
  can_encrypt_messages, can_encrypt_files, created_at, expires_at, added_at,
  array(select email_address.key
        from forge.email_address
        where email_address.account_id = gpg_key.account_id and email_address.is_activated) as activated`

/** A page of the primary keys of an account, oldest first. */
export const pageOfGpgKeys = (sql: Sql, account: number, paging: Paging): Promise<Page<StoredGpgKey>> =>
  pageOf<StoredGpgKey>(sql, paging, {
    from: sql`
      from forge.gpg_key
      where account_id = ${account} and parent_id is null`,
    columns: columns(sql),
    by: sql`order by id`,
  })

/** A primary key of an account; undefined: there is none. */
export const gpgKeyById = (sql: Sql, account: number, key: number) =>
  firstRow(sql<StoredGpgKey[]>`
    select ${columns(sql)}
    from forge.gpg_key
    where id = ${key} and account_id = ${account} and parent_id is null`)

/** The primary key of an account that has a key id, or of which a subkey has it. */
export const gpgKeyByKeyId = (sql: Sql, account: number, keyId: string) =>
  firstRow(sql<StoredGpgKey[]>`
    select ${columns(sql)}
    from forge.gpg_key
    where parent_id is null and id in
      (select coalesce(named.parent_id, named.id)
       from forge.gpg_key as named
       where named.account_id = ${account} and named.key_id = ${keyId})
    order by id
    limit 1`)

/** The subkeys of these keys, oldest first. */
export const subkeysOf = (sql: Sql, keys: readonly number[]) =>
  allRows(sql<StoredGpgKey[]>`
    select ${columns(sql)}
    from forge.gpg_key
    where parent_id = any(${keys}::bigint[])
    order by id`)

/** The primary keys of an account as they may be imported elsewhere, oldest first. */
export const certificatesOf = (sql: Sql, account: number) =>
  allRows(sql<{ certificate: Buffer }[]>`
    select certificate
    from forge.gpg_key
    where account_id = ${account} and parent_id is null
    order by id`)

/** Adds a key with its subkeys. One that any account has violates `gpg_key_fingerprint_unique`. */
export async function insertGpgKey(
  tx: Tx,
  account: number,
  { primary, subkeys, emails, bytes }: Certificate,
  isVerified: boolean,
): Promise<number> {
  const { id } = await onlyRow(tx<[{ id: number }]>`
    insert into forge.gpg_key
      (account_id, certificate, emails, is_verified, added_at, fingerprint, key_id, packet,
       can_sign, can_certify, can_encrypt_messages, can_encrypt_files, created_at, expires_at)
    values (${account}, ${bytes}, ${[...emails]}::text[], ${isVerified}, ${tx.now}, ${columnsOf(tx, primary)})
    returning id`)
  for (const subkey of subkeys)
    await tx`
      insert into forge.gpg_key
        (account_id, parent_id, added_at, fingerprint, key_id, packet,
         can_sign, can_certify, can_encrypt_messages, can_encrypt_files, created_at, expires_at)
      values (${account}, ${id}, ${tx.now}, ${columnsOf(tx, subkey)})`
  return id
}

function columnsOf(tx: Tx, use: KeyUse) {
  const { key, expires, signs, certifies, encryptsMessages, encryptsFiles } = use
  return tx`
    ${key.fingerprint}, ${key.keyId}, ${key.body}, ${signs}, ${certifies}, ${encryptsMessages}, ${encryptsFiles},
    ${new Date(key.created * 1000)}, ${expires === undefined ? null : new Date(expires * 1000)}`
}

/** Records that the account has signed a text of the server with a key. */
export async function setGpgKeyVerified(tx: Tx, key: number): Promise<void> {
  await tx`
    update forge.gpg_key
    set is_verified = true
    where id = ${key}`
}

/** Deletes a primary key of an account with its subkeys; undefined: there is none. */
export const deleteGpgKey = (tx: Tx, account: number, key: number) =>
  firstRow(tx<{ fingerprint: string }[]>`
    delete from forge.gpg_key
    where id = ${key} and account_id = ${account} and parent_id is null
    returning fingerprint`)

/** A key that may sign, for one of the addresses that its account has activated. */
export interface SigningGpgKey {
  key_id: string
  packet: Buffer
  name: string
  email_key: string
  /** The addresses in the user ids of the primary key. */
  emails: string[]
  is_verified: boolean
  created_at: string
  /** When it ends, or its primary key does. */
  expires_at: string | null
}

/** The keys with these key ids that may sign, once for each of these addresses that their account has. */
export const signingGpgKeys = (sql: Sql, keyIds: readonly string[], emailKeys: readonly string[]) =>
  allRows(sql<SigningGpgKey[]>`
    select key.key_id, key.packet, account.name, email_address.key as email_key, main.emails, main.is_verified,
      key.created_at, least(key.expires_at, main.expires_at) as expires_at
    from forge.email_address
    join forge.account as account on account.id = email_address.account_id
    join forge.gpg_key as key on key.account_id = account.id
    join forge.gpg_key as main on main.id = coalesce(key.parent_id, key.id)
    where email_address.key = any(${emailKeys}::text[]) and email_address.is_activated
      and key.key_id = any(${keyIds}::text[]) and key.can_sign
    order by key.id`)
