import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { type Account, accountColumns } from '../accounts/account.ts'

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
  { page, limit }: Paging,
): Promise<Page<StoredKey>> {
  const wanted: Fragment = sql`
    account_id = ${owner} ${fingerprint === '' ? sql`` : sql`and fingerprint = ${fingerprint}`}`
  const rows = await sql<({ total: number } & (KeyRow | { key_id: null }))[]>`
    select (select count(*) from forge.ssh_key where ${wanted}) as total, ${keyColumns(sql)}
    from (select) as always
    left join (
      select id, account_id, content, title, fingerprint, created_at, last_used_at
      from forge.ssh_key
      where ${wanted}
      order by id
      limit ${limit}
      offset ${offsetOf({ page, limit })}
    ) as key on true
    left join forge.account as account on account.id = key.account_id
    order by key.id`
  const keys = rows.flatMap((row) => (row.key_id === null ? [] : [storedKey(row)]))
  return { page, limit, rows: keys, total: rows[0]?.total ?? 0 }
}

/** A key, whoever owns it. */
export async function keyById(sql: Sql, key: number): Promise<StoredKey | undefined> {
  const [row] = await sql<KeyRow[]>`
    select ${keyColumns(sql)}
    from forge.ssh_key as key
    join forge.account as account on account.id = key.account_id
    where key.id = ${key}`
  return row && storedKey(row)
}

/**
 * Adds a key. The constraint `ssh_key_fingerprint_unique` refuses a key that any account has, and then
 * `ssh_key_title_unique` a title that the owner has used.
 */
export async function insertKey(
  tx: Tx,
  owner: Account,
  draft: Pick<StoredKey, 'title' | 'content' | 'fingerprint'>,
): Promise<StoredKey> {
  const [row] = await tx<[Omit<StoredKey, 'owner'>]>`
    insert into forge.ssh_key (account_id, title, content, fingerprint, created_at)
    values (${owner.id}, ${draft.title}, ${draft.content}, ${draft.fingerprint}, ${tx.now})
    returning id, title, content, fingerprint, created_at, created_at as last_used_at`
  return { owner, ...row }
}

/** Deletes a key; undefined if it is already gone. */
export async function deleteKey(tx: Tx, key: number): Promise<{ id: number } | undefined> {
  const [row] = await tx<{ id: number }[]>`
    delete from forge.ssh_key
    where id = ${key}
    returning id`
  return row
}
