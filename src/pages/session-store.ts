import { allRows, anyRow, firstRow } from '../db/rows.ts'
import type { Sql, Tx } from '../db/sql.ts'
import type { Account } from '../forge/accounts/account-store.ts'

/** A valid session: its account, and the token that began it with its scopes (null: a password began it). */
export interface WebSession {
  account_id: number
  token_id: number | null
  scopes: string | null
  expires_at: string
}

/**
 * The session with this hash, which may have expired; undefined if its token, password or enrolment for one-time codes
 * has changed, or its account may no longer sign in. (A trigger deletes the sessions of such accounts.)
 */
export const sessionByHash = (sql: Sql, hash: string) =>
  firstRow(sql<WebSession[]>`
    select web_session.account_id, token.id as token_id, token.scopes,
      least(web_session.expires_at, token.expires_at) as expires_at
    from forge.web_session
    join forge.account on account.id = web_session.account_id
    left join forge.access_token as token on token.id = web_session.token_id
    left join forge.password on password.account_id = web_session.account_id
    left join forge.totp on totp.account_id = web_session.account_id
    where web_session.hash = ${hash}
      and account.is_active and not account.prohibit_login and not account.must_change_password
      and totp.created_at is not distinct from web_session.totp_enrolled_at
      and (token.id is not null or encode(sha256(convert_to(password.record, 'UTF8')), 'hex') = password_hash)`)

/** How many sessions an account has; the oldest make room for new ones. */
const maximum = 20

/** A session to store. */
interface SessionDraft {
  hash: string
  /** The account as it was when its credential was checked. */
  account: Pick<Account, 'id' | 'has_totp'>
  /** The presented token; undefined: a password was presented. */
  token: number | undefined
  /** `Firefox on Linux`. */
  browser: string
  now: Date
  expiresAt: Date
}

/**
 * Stores a session; removes those that have expired. Returns false if the account may no longer sign in, or has been
 * enrolled for one-time codes since its credential was checked. A change of the account waits for this statement, and
 * then ends the session as well.
 */
export const insertSession = (sql: Sql, { hash, account, token, browser, now, expiresAt }: SessionDraft) =>
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
        offset ${maximum - 1}
        for update skip locked
      )
    )
    insert into forge.web_session
      (hash, account_id, token_id, password_hash, totp_enrolled_at, browser, created_at, expires_at)
    select ${hash}, allowed.id, ${token ?? null}::bigint,
      case when ${token ?? null}::bigint is null then encode(sha256(convert_to(password.record, 'UTF8')), 'hex') end,
      totp.created_at, ${browser}, ${now}::timestamptz, ${expiresAt}::timestamptz
    from allowed
    left join forge.password on password.account_id = allowed.id
    left join forge.totp on totp.account_id = allowed.id
    returning hash`)

export async function deleteSession(sql: Sql, hash: string): Promise<void> {
  await sql`
    delete from forge.web_session
    where hash = ${hash}`
}

/** A session as its owner sees it. */
export interface ListedSession {
  id: number
  /** Null: the previous release made it. */
  browser: string | null
  created_at: string
  /** Whether a token began it. */
  has_token: boolean
  is_current: boolean
}

/** The sessions of an account that have not expired, newest first; `current` is the hash of the session that asks. */
export const sessionsOf = (sql: Sql, account: number, current: string | undefined, now: Date) =>
  allRows(sql<ListedSession[]>`
    select id, browser, created_at, token_id is not null as has_token, hash = ${current ?? ''} as is_current
    from forge.web_session
    where account_id = ${account} and expires_at > ${now}
    order by created_at desc, id desc`)

/** Ends a session of an account; gives how many there were. */
export async function endSession(tx: Tx, account: number, id: number): Promise<number> {
  const { count } = await tx`
    delete from forge.web_session
    where account_id = ${account} and id = ${id}`
  return count
}

/** Ends the sessions of an account, except the one with the hash `current`; gives how many. */
export async function endOtherSessions(
  tx: Tx,
  account: number,
  current: string | undefined,
): Promise<number> {
  const { count } = await tx`
    delete from forge.web_session
    where account_id = ${account} and hash <> ${current ?? ''}`
  return count
}

/**
 * Changes the password or the second factor of an account, and ends its sessions; the one with the hash `current` goes on
 * with the new ones.
 */
export async function changeCredentials(
  tx: Tx,
  account: number,
  current: string | undefined,
  change: () => Promise<unknown>,
): Promise<void> {
  const session = await firstRow(tx<CurrentSession[]>`
    delete from forge.web_session
    where account_id = ${account} and hash = ${current ?? ''}
    returning hash, token_id, browser, created_at, expires_at`)
  await change()
  await endOtherSessions(tx, account, undefined)
  if (!session) return
  const { hash, token_id, browser, created_at, expires_at } = session
  await tx`
    insert into forge.web_session
      (hash, account_id, token_id, password_hash, totp_enrolled_at, browser, created_at, expires_at)
    select ${hash}, account.id, ${token_id}::bigint,
      case when ${token_id}::bigint is null then encode(sha256(convert_to(password.record, 'UTF8')), 'hex') end,
      totp.created_at, ${browser}::text, ${created_at}::timestamptz, ${expires_at}::timestamptz
    from forge.account
    left join forge.password on password.account_id = account.id
    left join forge.totp on totp.account_id = account.id
    where account.id = ${account}`
}

/** What of a session stays when the credentials of its account change. */
interface CurrentSession {
  hash: string
  token_id: number | null
  browser: string | null
  created_at: string
  expires_at: string
}
