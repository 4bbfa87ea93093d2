import { type Paging, pageOf } from '../../db/page.ts'
import { firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { formatScopes, type Scopes } from './scopes.ts'
import { hashToken, lastEight } from './token.ts'

/** A stored access token; the token itself cannot be recovered. */
export interface StoredToken {
  id: number
  account_id: number
  name: string
  last_eight: string
  scopes: string
  created_at: string
  last_used_at: string | null
  /** Null: it never ends by itself. */
  expires_at: string | null
}

/**
 * Stores a new token, given in plain text as `newToken` returned it. A duplicate name is refused by
 * `access_token_name_unique`.
 */
export const insertToken = (
  tx: Tx,
  account: number,
  {
    name,
    scopes,
    token,
    expires_at,
  }: { name: string; scopes: Scopes; token: string; expires_at?: Date | undefined },
) =>
  onlyRow(tx<[StoredToken]>`
    insert into forge.access_token (account_id, name, hash, last_eight, scopes, created_at, expires_at)
    values (${account}, ${name}, ${hashToken(token)}, ${lastEight(token)}, ${formatScopes(scopes)}, ${tx.now},
      ${expires_at ?? null})
    returning id, account_id, name, last_eight, scopes, created_at, last_used_at, expires_at`)

/** Records the last use of tokens, unless a later one is already stored. */
export async function touchTokens(sql: Sql, tokens: readonly number[], now: Date): Promise<void> {
  await sql`
    update forge.access_token
    set last_used_at = ${now}
    where id = any(${tokens}::bigint[]) and (last_used_at is null or last_used_at < ${now})`
}

/** A page of the tokens of an account, newest first, in one statement. */
export const pageOfTokens = (sql: Sql, account: number, paging: Paging) =>
  pageOf<StoredToken>(sql, paging, {
    from: sql`from forge.access_token where account_id = ${account}`,
    columns: sql`id, account_id, name, last_eight, scopes, created_at, last_used_at, expires_at`,
    by: sql`order by id desc`,
  })

/** Undefined if it was deleted. */
export const tokenById = (sql: Sql, id: number) =>
  firstRow(sql<StoredToken[]>`
    select id, account_id, name, last_eight, scopes, created_at, last_used_at, expires_at
    from forge.access_token
    where id = ${id}`)

/** Deletes a token of an account; undefined if the account has no such token. */
export async function deleteToken(
  tx: Tx,
  account: number,
  which: { id: number } | { name: string },
): Promise<StoredToken | undefined> {
  const condition = 'id' in which ? tx`id = ${which.id}` : tx`md5(name) = md5(${which.name})`
  return firstRow(tx<StoredToken[]>`
    delete from forge.access_token
    where account_id = ${account} and ${condition}
    returning id, account_id, name, last_eight, scopes, created_at, last_used_at, expires_at`)
}
