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

const columns = (sql: Sql) => sql`
  id, account_id, name, last_eight, scopes, created_at, last_used_at, expires_at`

/**
 * Stores a new token; `token` is the plain text that `newToken` returned. A duplicate name violates
 * `access_token_name_unique`.
 */
export const insertToken = (
  tx: Tx,
  account: number,
  draft: { name: string; scopes: Scopes; token: string; expires_at?: Date | undefined },
) =>
  onlyRow(tx<[StoredToken]>`
    insert into forge.access_token (account_id, name, hash, last_eight, scopes, created_at, expires_at)
    values (${account}, ${draft.name}, ${hashToken(draft.token)}, ${lastEight(draft.token)},
      ${formatScopes(draft.scopes)}, ${tx.now}, ${draft.expires_at ?? null})
    returning ${columns(tx)}`)

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
    columns: columns(sql),
    by: sql`order by id desc`,
  })

/** Undefined if it was deleted. */
export const tokenById = (sql: Sql, id: number) =>
  firstRow(sql<StoredToken[]>`
    select ${columns(sql)}
    from forge.access_token
    where id = ${id}`)

/** Deletes a token of an account; undefined if the account has no such token. */
export function deleteToken(tx: Tx, account: number, which: { id: number } | { name: string }) {
  const condition = 'id' in which ? tx`id = ${which.id}` : tx`md5(name) = md5(${which.name})`
  return firstRow(tx<StoredToken[]>`
    delete from forge.access_token
    where account_id = ${account} and ${condition}
    returning ${columns(tx)}`)
}
