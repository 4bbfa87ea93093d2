import { anyRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import type { Account } from '../../forge/accounts/account.ts'

/** A valid session: whose it is, and the token that was presented with its scopes (null: a password was). */
export interface WebSession {
  account_id: number
  token_id: number | null
  scopes: string | null
  expires_at: string
}

/**
 * The session with this hash, which may have expired, unless its token, password or enrolment for one-time codes is no longer the
 * same, or its account may no longer sign in. (A trigger deletes the sessions of such accounts.)
 */
export async function sessionByHash(sql: Sql, hash: string): Promise<WebSession | undefined> {
  const [session] = await sql<WebSession[]>`
    select web_session.account_id, token.id as token_id, token.scopes, web_session.expires_at
    from forge.web_session
    join forge.account on account.id = web_session.account_id
    left join forge.access_token as token on token.id = web_session.token_id
    left join forge.password on password.account_id = web_session.account_id
    left join forge.totp on totp.account_id = web_session.account_id
    where web_session.hash = ${hash}
      and account.is_active and not account.prohibit_login and not account.must_change_password
      and totp.created_at is not distinct from web_session.totp_enrolled_at
      and (token.id is not null or encode(sha256(convert_to(password.record, 'UTF8')), 'hex') = password_hash)`
  return session
}

/** How many sessions an account has; the oldest make room for new ones. */
const most = 20

/** A session to store. */
interface SessionDraft {
  hash: string
  /** The account as it was when its credential was checked. */
  account: Pick<Account, 'id' | 'has_totp'>
  /** The presented token; undefined: a password was presented. */
  token: number | undefined
  now: Date
  expiresAt: Date
}

/**
 * Stores a session; removes those that have expired. Returns false if the account may no longer sign in, or has been
 * enrolled for one-time codes since its credential was checked. A change of the account waits for this statement, and
 * then ends the session as well.
 */
export const insertSession = (sql: Sql, { hash, account, token, now, expiresAt }: SessionDraft) =>
  anyRow(sql`
    with allowed as (
      select account.id
      from forge.account
      where account.id = ${account.id} and is_active and not prohibit_login and not must_change_password
        and exists (select from forge.totp where account_id = account.id) = ${account.has_totp}
      for share
    ),
    expired as (
      delete from forge.web_session
      where hash in (
        select hash
        from forge.web_session
        where expires_at <= ${now}
        for update skip locked
      )
    ),
    surplus as (
      delete from forge.web_session
      where hash in (
        select hash
        from forge.web_session
        where account_id = (select id from allowed)
        order by created_at desc
        offset ${most - 1}
        for update skip locked
      )
    )
    insert into forge.web_session (hash, account_id, token_id, password_hash, totp_enrolled_at, created_at, expires_at)
    select ${hash}, allowed.id, ${token ?? null}::bigint,
      case when ${token ?? null}::bigint is null then encode(sha256(convert_to(password.record, 'UTF8')), 'hex') end,
      totp.created_at, ${now}::timestamptz, ${expiresAt}::timestamptz
    from allowed
    left join forge.password on password.account_id = allowed.id
    left join forge.totp on totp.account_id = allowed.id
    returning hash`)

export async function deleteSession(sql: Sql, hash: string): Promise<void> {
  await sql`
    delete from forge.web_session
    where hash = ${hash}`
}
