import { randomBytes } from 'node:crypto'
import type { Sql, Tx } from '../../db/sql.ts'
import { mailWithSecret } from '../../mail/mail-store.ts'
import { type Account, accountById } from '../accounts/account-store.ts'
import { parseAddress } from '../accounts/email-address.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import { hashToken } from '../auth/token.ts'
import { activateAddress } from '../users/email-store.ts'
import { upsertMailPreference } from './preference-store.ts'

const day = 24 * 3_600_000
/** How long links are valid after the mail was requested, in milliseconds; rows of mails are kept for a month. */
const lifetimes = { address_added: 3 * day, activity: 30 * day }

/** A secret for a link, and the hash by which it is found. */
export function newLink(): { secret: string; hash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, hash: hashToken(secret) }
}

/** Whom the link of a mail is about, and the address it was sent to; undefined: it has ended, or there was none. */
export async function linkOwner(
  sql: Sql,
  kind: keyof typeof lifetimes,
  { secret, now }: { secret: string; now: Date },
): Promise<{ account: Account; address: string } | undefined> {
  const since = new Date(now.getTime() - lifetimes[kind])
  const mail = await mailWithSecret(sql, { kind, hash: hashToken(secret), since })
  const account = mail?.account_id == null ? undefined : await accountById(sql, mail.account_id)
  return mail && account && { account, address: mail.recipient }
}

/** Confirms the address to which the mail with a link was sent. Returns whether the link was valid. */
export async function confirmAddress(tx: Tx, secret: string): Promise<boolean> {
  const found = await linkOwner(tx, 'address_added', { secret, now: tx.now })
  const parsed = found && parseAddress(found.address)
  if (!found || !parsed?.ok) return false
  if (!(await activateAddress(tx, found.account.id, parsed.value.key))) return false
  const details = { address: found.address }
  await record(tx, 'mail', { action: 'email.confirmed', target: accountTarget(found.account), details })
  return true
}

/** Ends mails of notifications for whoever has the link of one. Returns whether the link was valid. */
export async function endMails(tx: Tx, secret: string): Promise<boolean> {
  const found = await linkOwner(tx, 'activity', { secret, now: tx.now })
  if (found) await upsertMailPreference(tx, found.account.id, 'disabled')
  return found !== undefined
}
