import { lease } from '../background/claim.ts'
import { type Paging, pageOf } from '../db/page.ts'
import { allRows, firstRow, rowCount } from '../db/rows.ts'
import type { Sql, Tx } from '../db/sql.ts'

/** The only writer of mails. */

/** Why a mail is sent. */
type MailKind =
  | 'account_made'
  | 'password_forgotten'
  | 'address_added'
  | 'credentials_changed'
  | (typeof newsKinds)[number]

/** Mails of notifications, which their recipients can end. */
export const newsKinds = ['activity', 'release'] as const

/** A mail that is to be sent. */
export interface WaitingMail {
  id: number
  kind: MailKind
  recipient: string
  account_id: number | null
  /** What it is about, as its kind names it: an action, or the id of an issue or a release; may be empty. */
  about: string
  created_at: string
  /** Those that have begun, this one included. */
  attempts: number
}

/** Mails of a kind that may wait at a time; more come only from somebody who requests them for addresses that he makes up. */
const maxWaiting = 10_000

/** Queues a mail, unless the same already waits for its recipient. */
export async function insertMail(
  tx: Tx,
  { kind, recipient, account }: { kind: MailKind; recipient: string; account?: number },
): Promise<void> {
  await insertMails(tx, kind, [{ recipient, account: account ?? null, about: '' }], tx.now)
  await tx.wake()
}

interface MailDraft {
  recipient: string
  account: number | null
  about: string
}

/** Queues mails of a kind, each unless the same already waits. */
export async function insertMails(
  sql: Sql,
  kind: MailKind,
  mails: readonly MailDraft[],
  now: Date,
): Promise<void> {
  if (mails.length === 0) return
  await sql`
    insert into forgehall.mail (kind, recipient, account_id, about, created_at, due_at)
    select ${kind}, recipient, account_id, about, ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${mails.map(({ recipient }) => recipient)}::text[], ${mails.map(({ account }) => account)}::bigint[],
      ${mails.map(({ about }) => about)}::text[]) as draft (recipient, account_id, about)
    where (
      select count(*)
      from (select from forgehall.mail where state = 'waiting' and kind = ${kind} limit ${maxWaiting}) as waiting
    ) < ${maxWaiting}
    on conflict (kind, recipient, about) where state = 'waiting' do nothing`
}

/** Mails that one recipient gets within an hour, of notifications and of others; further ones wait. */
const hourlyShare = { news: 60, other: 5 }

/** How long a mail that a process sends is its own: each step of the protocol may take its time. */
export const claimedUntil = (now: Date) => new Date(now.getTime() + 5 * lease)

/** Claims mails that are due until a time, the oldest first. */
export const claimMails = (
  sql: Sql,
  { now, until, count }: { now: Date; until: Date; count: number },
): Promise<WaitingMail[]> => {
  const isNews = sql`= any(${[...newsKinds]}::text[])`
  return allRows(sql<WaitingMail[]>`
    with due as (
      select id
      from forgehall.mail
      where state = 'waiting' and due_at <= ${now} and (
        select count(*)
        from forgehall.mail as sent
        where sent.recipient = mail.recipient and sent.state = 'sent'
          and (sent.kind ${isNews}) = (mail.kind ${isNews})
          and sent.finished_at > ${new Date(now.getTime() - 3_600_000)}
      ) < case when mail.kind ${isNews} then ${hourlyShare.news}::int else ${hourlyShare.other}::int end
      order by due_at, id
      limit ${count}
      for update skip locked
    )
    update forgehall.mail
    set due_at = ${until}, attempts = attempts + 1
    from due
    where mail.id = due.id
    returning mail.id, mail.kind, mail.recipient, mail.account_id, mail.about, mail.created_at, mail.attempts`)
}

/** Stores the hash of the secret in a link of a mail, before it is sent. */
export async function storeSecret(sql: Sql, id: number, hash: string): Promise<void> {
  await sql`
    update forgehall.mail
    set secret_hash = ${hash}
    where id = ${id}`
}

/** The mail of one of these kinds with this secret that was made after a time; undefined: there is none any more. */
export const mailWithSecret = (
  sql: Sql,
  { kinds, hash, since }: { kinds: readonly MailKind[]; hash: string; since: Date },
) =>
  firstRow(sql<Pick<WaitingMail, 'recipient' | 'account_id'>[]>`
    select recipient, account_id
    from forgehall.mail
    where secret_hash = ${hash} and kind = any(${[...kinds]}::text[]) and created_at > ${since}`)

/** A mail was sent, or is given up. */
export async function finishMail(
  sql: Sql,
  id: number,
  { state, error, now }: { state: 'sent' | 'failed'; error: string; now: Date },
): Promise<void> {
  await sql`
    update forgehall.mail
    set state = ${state}, error = ${error}, finished_at = ${now}
    where id = ${id}`
}

/** A mail waits for another attempt. */
export async function delayMail(sql: Sql, id: number, dueAt: Date, error: string): Promise<void> {
  await sql`
    update forgehall.mail
    set due_at = ${dueAt}, error = ${error}
    where id = ${id}`
}

/** A mail that was not sent. */
export interface UnsentMail
  extends Pick<WaitingMail, 'id' | 'kind' | 'recipient' | 'created_at' | 'attempts'> {
  state: 'waiting' | 'failed'
  /** Why the last attempt failed; "": none has. */
  error: string
  due_at: string
}

const unsentColumns = (sql: Sql) => sql`id, kind, recipient, created_at, attempts, state, error, due_at`

/** A page of the mails that were not sent, the newest first; `state` "": all. */
export const pageOfMails = (sql: Sql, state: UnsentMail['state'] | '', paging: Paging) =>
  pageOf<UnsentMail>(sql, paging, {
    from: sql`
      from forgehall.mail
      where state <> 'sent' and (${state} = '' or state = ${state})`,
    columns: unsentColumns(sql),
    by: sql`order by id desc`,
  })

/** A mail that was not sent, locked until the transaction ends. */
export const lockMail = (tx: Tx, id: number) =>
  firstRow(tx<UnsentMail[]>`
    select ${unsentColumns(tx)}
    from forgehall.mail
    where id = ${id} and state <> 'sent'
    for update`)

/**
 * Lets a mail be sent now as if it had just been made, unless it is due soon: then a process may be sending it. The same mail
 * that waits already violates `mail_waiting_unique`.
 */
export async function requeueMail(tx: Tx, id: number): Promise<void> {
  await tx`
    update forgehall.mail
    set state = 'waiting', attempts = 0, created_at = ${tx.now}, due_at = ${tx.now}, finished_at = null, secret_hash = null
    where id = ${id} and (state = 'failed' or due_at > ${claimedUntil(tx.now)})`
  await tx.wake()
}

/** Removes a mail that nobody is to get. */
export async function deleteMail(sql: Sql, id: number): Promise<void> {
  await sql`
    delete from forgehall.mail
    where id = ${id}`
}

/** Removes up to `limit` mails that were sent or given up before a time; returns their number. */
export const deleteMailsBefore = (sql: Sql, before: Date, limit: number): Promise<number> =>
  rowCount(sql`
    delete from forgehall.mail
    where id in (
      select id
      from forgehall.mail
      where finished_at < ${before}
      order by finished_at, id
      limit ${limit})`)
