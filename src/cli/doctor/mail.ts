import { createSmtp } from '../../mail/smtp.ts'
import type { MailSettings } from '../../mail/variables.ts'
import { type Finding, failed, ok } from './finding.ts'

/** Connects to the server of mail and signs in; sends nothing. */
export async function checkMail(settings: MailSettings): Promise<Finding> {
  const checked = await createSmtp(settings).check()
  if (checked.ok) return ok('mail', `${settings.host} can be reached`)
  return failed('mail', checked.fault, 'check MAIL_URL; meanwhile mails wait, for two days')
}
