import type { Sql } from '../../db/sql.ts'

/** A valid session: whose it is, and the token that was presented with its scopes (null: a password was). */
interface WebSession {
  account_id: number
  token_id: number | null
  scopes: string | null
}

/**
 * The session with this hash, unless it has expired, its token or password is no longer the same, or its account may no
 * longer sign in.
 */
export async function sessionByHash(sql: Sql, hash: string, now: Date): Promise<WebSession | undefined> {
  const [session] = await sql<WebSession[]>`
    select web_session.account_id, token.id as token_id, token.scopes
    from forge.web_session
    join forge.account on account.id = web_session.account_id
    left join forge.access_token as token on token.id = web_session.token_id
    left join forge.password on password.account_id = web_session.account_id
    where web_session.hash = ${hash} and expires_at > ${now}
      and account.is_active and not account.prohibit_login and not account.must_change_password
      and (token.id is not null or encode(sha256(convert_to(password.record, 'UTF8')), 'hex') = password_hash)`
  return session
}

/** How many sessions an account has; the oldest make room for new ones. */
const most = 20

/** Stores a session; removes those that have expired. `token`: the presented one; absent: a password was presented. */
export async function insertSession(
  sql: Sql,
  session: { hash: string; account: number; token: number | undefined; now: Date; expiresAt: Date },
): Promise<void> {
  const { hash, account, token = null, now, expiresAt } = session
  await sql`
    with expired as (
      delete from forge.web_session
      where expires_at <= ${now}
    ),
    surplus as (
      delete from forge.web_session
      where hash in (
        select hash
        from forge.web_session
        where account_id = ${account}
        order by created_at desc
        offset ${most - 1}
      )
    )
    insert into forge.web_session (hash, account_id, token_id, password_hash, created_at, expires_at)
    select ${hash}, ${account}::bigint, ${token}::bigint,
      case when ${token}::bigint is null then encode(sha256(convert_to(password.record, 'UTF8')), 'hex') end,
      ${now}::timestamptz, ${expiresAt}::timestamptz
    from (select) as always
    left join forge.password on password.account_id = ${account}::bigint`
}

export async function deleteSession(sql: Sql, hash: string): Promise<void> {
  await sql`
    delete from forge.web_session
    where hash = ${hash}`
}
