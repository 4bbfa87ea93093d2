import type { Sql, Tx } from '../db/sql.ts'
import { formatScopes, type Scopes } from './scopes.ts'
import { hashToken, lastEight } from './token.ts'

/** An access token as it is stored; nobody can read the token itself any more. */
export interface StoredToken {
  id: number
  account_id: number
  name: string
  last_eight: string
  scopes: string
  created_at: string
  last_used_at: string | null
}

/** Stores a new token in the clear form that `newToken` gave. A second name is refused by `access_token_name_unique`. */
export async function insertToken(
  tx: Tx,
  account: number,
  { name, scopes, token }: { name: string; scopes: Scopes; token: string },
): Promise<StoredToken> {
  const [stored] = await tx<[StoredToken]>`
    insert into forge.access_token (account_id, name, hash, last_eight, scopes, created_at)
    values (${account}, ${name}, ${hashToken(token)}, ${lastEight(token)}, ${formatScopes(scopes)}, ${tx.now})
    returning id, account_id, name, last_eight, scopes, created_at, last_used_at`
  return stored
}

/** Notes that tokens were used at a moment, unless a later one is noted already. */
export async function touchTokens(sql: Sql, tokens: readonly number[], now: Date): Promise<void> {
  await sql`
    update forge.access_token
    set last_used_at = ${now}
    where id = any(${tokens}::bigint[]) and (last_used_at is null or last_used_at < ${now})`
}
