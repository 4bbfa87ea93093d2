import { mapPage, type Page, type Paging, pageOf } from '../../db/page.ts'
import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { type Account, accountColumns } from '../accounts/account-store.ts'

/** An SSH key as it is stored, with its owner. */
export interface StoredKey {
  id: number
  content: string
  title: string
  fingerprint: string
  created_at: string
  last_used_at: string
  owner: Account
}

type KeyRow = Account & {
  key_id: number
  content: string
  title: string
  fingerprint: string
  key_created_at: string
  key_used_at: string | null
}

const keyColumns = (sql: Sql) => sql`
  key.id as key_id, key.content, key.title, key.fingerprint, key.created_at as key_created_at,
  key.last_used_at as key_used_at, ${accountColumns(sql)}`

function storedKey(row: KeyRow): StoredKey {
  const { key_id, content, title, fingerprint, key_created_at, key_used_at, ...owner } = row
  const last_used_at = key_used_at ?? key_created_at
  return { id: key_id, content, title, fingerprint, created_at: key_created_at, last_used_at, owner }
}

/** A page of the keys of an account, oldest first; if `fingerprint` is not empty, only that key. */
export async function pageOfKeys(
  sql: Sql,
  owner: number,
  fingerprint: string,
  paging: Paging,
): Promise<Page<StoredKey>> {
  const page = await pageOf<KeyRow>(sql, paging, {
    from: sql`
      from forge.ssh_key
      where account_id = ${owner} ${fingerprint === '' ? sql`` : sql`and fingerprint = ${fingerprint}`}`,
    keys: sql`id as key_id`,
    rows: sql`
      select ${keyColumns(sql)}
      from page
      join forge.ssh_key as key on key.id = page.key_id
      join forge.account as account on account.id = key.account_id`,
    by: sql`order by key_id`,
  })
  return mapPage(page, storedKey)
}

/** A key, whoever owns it. */
export async function keyById(sql: Sql, key: number): Promise<StoredKey | undefined> {
  const row = await firstRow(sql<KeyRow[]>`
    select ${keyColumns(sql)}
    from forge.ssh_key as key
    join forge.account as account on account.id = key.account_id
    where key.id = ${key}`)
  return row && storedKey(row)
}

/**
 * Adds a key. A key that any account or repository has violates `ssh_key_fingerprint_unique`, and then a title that the
 * owner has used `ssh_key_title_unique`.
 */
export async function insertKey(
  tx: Tx,
  owner: Account,
  draft: Pick<StoredKey, 'title' | 'content' | 'fingerprint'>,
): Promise<StoredKey> {
  const row = await onlyRow(tx<[Omit<StoredKey, 'owner'>]>`
    insert into forge.ssh_key (account_id, title, content, fingerprint, created_at)
    values (${owner.id}, ${draft.title}, ${draft.content}, ${draft.fingerprint}, ${tx.now})
    returning id, title, content, fingerprint, created_at, created_at as last_used_at`)
  return { owner, ...row }
}

/** The keys of an account in normal form, the oldest first. */
export const contentsOfKeys = (sql: Sql, account: number) =>
  allRows(sql<{ content: string }[]>`
    select content
    from forge.ssh_key
    where account_id = ${account}
    order by id`)

/** Records that a key was used. */
export async function touchKey(sql: Sql, key: number, now: Date): Promise<void> {
  await sql`
    update forge.ssh_key
    set last_used_at = ${now}
    where id = ${key}`
}

/** Whether a user or a repository has the key with this fingerprint. */
export const isKeyKnown = (sql: Sql, fingerprint: string) =>
  anyRow(sql`
    select from forge.ssh_key
    where fingerprint = ${fingerprint}
    union all
    select from forge.deploy_key
    where fingerprint = ${fingerprint}
    limit 1`)

/** The title of the key with this fingerprint, and the name of its user; undefined for a deploy key or none. */
export const keyOfUser = (sql: Sql, fingerprint: string) =>
  firstRow(sql<{ title: string; user: string }[]>`
    select key.title, account.name as user
    from forge.ssh_key as key
    join forge.account on account.id = key.account_id
    where fingerprint = ${fingerprint}`)

/** Deletes a key; undefined: there is none. */
export const deleteKey = (tx: Tx, key: number) =>
  firstRow(tx<{ id: number }[]>`
    delete from forge.ssh_key
    where id = ${key}
    returning id`)
