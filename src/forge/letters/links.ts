import { randomBytes } from 'node:crypto'
import type { Sql, Tx } from '../../db/sql.ts'
import { mailWithSecret, newsKinds } from '../../mail/mail-store.ts'
import { type Account, accountById } from '../accounts/account-store.ts'
import { parseAddress } from '../accounts/email-address.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import { hashToken } from '../auth/token.ts'
import { activateAddress } from '../users/email-store.ts'
import { upsertMailPreference } from './preference-store.ts'

const day = 24 * 3_600_000
/**
 * What links do, the mails that have them, and how long they are valid after the mail was requested, in milliseconds; rows of
 * mails are kept for a month.
 */
const purposes = {
  confirm: { kinds: ['address_added'], lifetime: 3 * day },
  unsubscribe: { kinds: newsKinds, lifetime: 30 * day },
} as const

/** A secret for a link, and the hash by which it is found. */
export function newLink(): { secret: string; hash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, hash: hashToken(secret) }
}

/** Whom the link of a mail is about, and the address it was sent to; undefined: it has ended, or there was none. */
export async function linkOwner(
  sql: Sql,
  purpose: keyof typeof purposes,
  { secret, now }: { secret: string; now: Date },
): Promise<{ account: Account; address: string } | undefined> {
  const { kinds, lifetime } = purposes[purpose]
  const since = new Date(now.getTime() - lifetime)
  const mail = await mailWithSecret(sql, { kinds, hash: hashToken(secret), since })
  const account = mail?.account_id == null ? undefined : await accountById(sql, mail.account_id)
  return mail && account && { account, address: mail.recipient }
}

/** Confirms the address to which the mail with a link was sent. Returns whether the link was valid. */
export async function confirmAddress(tx: Tx, secret: string): Promise<boolean> {
  const found = await linkOwner(tx, 'confirm', { secret, now: tx.now })
  const parsed = found && parseAddress(found.address)
  if (!found || !parsed?.ok) return false
  if (!(await activateAddress(tx, found.account.id, parsed.value.key))) return false
  const details = { address: found.address }
  await record(tx, 'mail', { action: 'email.confirmed', target: accountTarget(found.account), details })
  return true
}

/** Ends mails of notifications for whoever has the link of one. Returns whether the link was valid. */
export async function endMails(tx: Tx, secret: string): Promise<boolean> {
  const found = await linkOwner(tx, 'unsubscribe', { secret, now: tx.now })
  if (found) await upsertMailPreference(tx, found.account.id, 'disabled')
  return found !== undefined
}
