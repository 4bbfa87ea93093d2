import type { Begin, Pool } from '../../db/sql.ts'
import type { Letter } from '../../mail/letter.ts'
import type { WaitingMail } from '../../mail/mail-store.ts'
import { accountsByEmail } from '../accounts/account-by-email-store.ts'
import { type Account, lockAccount } from '../accounts/account-store.ts'
import { storePasswordLink } from '../users/own-password.ts'

/** What letters about accounts are made from. */
export interface LetterDeps {
  pool: Pool
  begin: Begin
  /** Public root URL with a slash at its end. */
  root: string
}

const hostOf = (root: string) => new URL(root).host

export const maySignIn = ({ kind, is_active, prohibit_login }: Account) =>
  kind === 'person' && is_active && !prohibit_login

export const accountMade = (root: string, { name }: Account): Letter => ({
  subject: `Your account at ${hostOf(root)}`,
  paragraphs: [
    `An administrator has made an account for you: ${name}. You sign in here:`,
    { link: `${root}login` },
    'Whoever made it knows its first password. To choose one of your own without it:',
    { link: `${root}login/forgotten` },
  ],
})

/** The link is made here, so that it ends an hour after the mail is sent. */
export async function passwordForgotten(
  { pool, begin, root }: LetterDeps,
  address: string,
): Promise<Letter | undefined> {
  const [account] = (await accountsByEmail(pool, [address])).values()
  if (!account || !maySignIn(account)) return undefined
  const secret = await begin(async (tx) => {
    const locked = await lockAccount(tx, account.id)
    return locked && (await storePasswordLink(tx, 'mail', locked)).secret
  })
  if (secret === undefined) return undefined
  return {
    subject: `A new password at ${hostOf(root)}`,
    paragraphs: [
      `Somebody has asked for a new password of ${account.name}. If it was you, choose one here; the link works once, within an hour:`,
      { link: `${root}login/password?link=${secret}` },
      'If it was not you, you need not do anything: your password stays as it is.',
    ],
  }
}

export const addressAdded = (root: string, { name }: Account, link: string): Letter => ({
  subject: `Your address at ${hostOf(root)}`,
  paragraphs: [
    `The account ${name} has added this address. If it was you, confirm it here, within three days:`,
    { link },
    'If it was not you, you need not do anything: the address is used for nothing.',
  ],
})

/** By the action in the audit trail. */
const changes: Readonly<Record<string, string>> = {
  'key.added': 'An SSH key was added',
  'key.removed': 'An SSH key was removed',
  'gpg_key.added': 'An OpenPGP key was added',
  'gpg_key.removed': 'An OpenPGP key was removed',
  'token.created': 'An access token was made',
  'token.deleted': 'An access token was deleted',
  'user.password_changed': 'The password was changed',
  'user.totp_enrolled': 'One-time codes were turned on',
  'user.totp_removed': 'One-time codes were turned off',
  'user.recovery_code_used': 'Somebody has signed in with a recovery code',
  'user.recovery_codes_made': 'New recovery codes were made',
}

export const credentialsChanged = (
  root: string,
  { name }: Account,
  { about, created_at }: WaitingMail,
): Letter => {
  const what = changes[about] ?? 'What you sign in with was changed'
  return {
    subject: `${what}: ${name} at ${hostOf(root)}`,
    paragraphs: [
      `${what}, of the account ${name}, at ${created_at}.`,
      'If it was you, you need not do anything. If not, choose another password, delete what you do not know, and tell an administrator:',
      { link: `${root}settings/password` },
      { link: `${root}settings/tokens` },
      { link: `${root}settings/keys` },
    ],
  }
}
