import type { Begin, Pool } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import type { Letter } from '../../mail/letter.ts'
import type { WaitingMail } from '../../mail/mail-store.ts'
import { createMailWorker, type MailWorker } from '../../mail/mail-worker.ts'
import { createSmtp } from '../../mail/smtp.ts'
import type { MailSettings } from '../../mail/variables.ts'
import { accountsByEmail } from '../accounts/account-by-email-store.ts'
import { type Account, accountById, lockAccount } from '../accounts/account-store.ts'
import { storePasswordLink } from './own-password.ts'

interface LetterDeps {
  pool: Pool
  begin: Begin
  /** Public root URL with a slash at its end. */
  root: string
}

/** The worker that sends mails about accounts. */
export function mailWorker(
  settings: MailSettings,
  deps: LetterDeps & { clock: () => Date; log: Log },
): MailWorker {
  const domain = new URL(deps.root).hostname
  return createMailWorker({ ...deps, smtp: createSmtp(settings), domain, write: accountLetters(deps) })
}

/** What mails about accounts say; undefined: nobody is to get the mail. */
const accountLetters =
  (deps: LetterDeps) =>
  async (mail: WaitingMail): Promise<Letter | undefined> => {
    if (mail.kind === 'password_forgotten') return passwordForgotten(deps, mail.recipient)
    const account = mail.account_id === null ? undefined : await accountById(deps.pool, mail.account_id)
    return account && maySignIn(account) ? accountMade(deps, account) : undefined
  }

const maySignIn = ({ kind, is_active, prohibit_login }: Account) =>
  kind === 'person' && is_active && !prohibit_login

const accountMade = ({ root }: LetterDeps, { name }: Account): Letter => ({
  subject: `Your account at ${new URL(root).host}`,
  paragraphs: [
    `An administrator has made an account for you: ${name}. You sign in here:`,
    { link: `${root}login` },
    'Whoever made it knows its first password. To choose one of your own without it:',
    { link: `${root}login/forgotten` },
  ],
})

/** The link is made here, so that it ends an hour after the mail is sent. */
async function passwordForgotten(
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
    subject: `A new password at ${new URL(root).host}`,
    paragraphs: [
      `Somebody has asked for a new password of ${account.name}. If it was you, choose one here; the link works once, within an hour:`,
      { link: `${root}login/password?link=${secret}` },
      'If it was not you, you need not do anything: your password stays as it is.',
    ],
  }
}
