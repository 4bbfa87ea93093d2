import type { Poller } from '../../background/recurring.ts'
import type { Log } from '../../log.ts'
import type { Letter } from '../../mail/letter.ts'
import { storeSecret, type WaitingMail } from '../../mail/mail-store.ts'
import { createMailWorker } from '../../mail/mail-worker.ts'
import { createSmtp } from '../../mail/smtp.ts'
import type { MailSettings } from '../../mail/variables.ts'
import { accountById } from '../accounts/account-store.ts'
import {
  accountMade,
  addressAdded,
  credentialsChanged,
  type LetterDeps,
  maySignIn,
  passwordForgotten,
} from './account-letters.ts'
import { activityLetter } from './activity-letter.ts'
import { newLink } from './links.ts'
import { releaseLetter } from './release-letter.ts'

/** The worker that sends the letters of the forge. */
export function mailWorker(
  settings: MailSettings,
  deps: LetterDeps & { clock: () => Date; log: Log },
): Poller {
  const domain = new URL(deps.root).hostname
  return createMailWorker({ ...deps, smtp: createSmtp(settings), domain, write: lettersOf(deps) })
}

/** What mails say; undefined: nobody is to get the mail. */
const lettersOf =
  (deps: LetterDeps) =>
  async (mail: WaitingMail): Promise<Letter | undefined> => {
    const { pool, root } = deps
    if (mail.kind === 'password_forgotten') return passwordForgotten(deps, mail.recipient)
    const { account_id } = mail
    const account = account_id === null ? undefined : await accountById(pool, account_id)
    if (!account || account_id === null || !maySignIn(account)) return undefined
    const linkTo = async (path: string) => {
      const { secret, hash } = newLink()
      await storeSecret(pool, mail.id, hash)
      return `${root}settings/emails/${path}?link=${secret}`
    }
    switch (mail.kind) {
      case 'account_made':
        return accountMade(root, account)
      case 'address_added':
        return addressAdded(root, account, await linkTo('confirm'))
      case 'credentials_changed':
        return credentialsChanged(root, account, mail)
      case 'activity':
      case 'release': {
        const write = mail.kind === 'activity' ? activityLetter : releaseLetter
        return write(pool, { ...mail, account_id }, { root, unsubscribe: await linkTo('unsubscribe') })
      }
    }
  }
