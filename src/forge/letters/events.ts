import { eventsOf } from '../../background/domain-events.ts'
import type { Consumer } from '../../background/outbox.ts'
import { insertMails } from '../../mail/mail-store.ts'
import { accountById } from '../accounts/account-store.ts'
import { mailRecipients, releaseRecipients } from '../watching/mail-recipient-store.ts'

/** Queues mails of notifications, and notes about changed credentials. */
export const mailConsumer: Consumer = async (sql, events, now) => {
  for (const activity of eventsOf(events, ['issue.activity'])) {
    const recipients = await mailRecipients(sql, activity)
    const about = String(activity.issue)
    const mails = recipients.map(({ id, email }) => ({ recipient: email, account: id, about }))
    await insertMails(sql, 'activity', mails, now)
  }
  for (const { action, release, location, actor } of eventsOf(events, ['release.changed'])) {
    if (action !== 'published' || release.prerelease) continue
    const recipients = await releaseRecipients(sql, location.repository, actor)
    const about = String(release.id)
    const mails = recipients.map(({ id, email }) => ({ recipient: email, account: id, about }))
    await insertMails(sql, 'release', mails, now)
  }
  for (const { account: id, action } of eventsOf(events, ['credentials.changed'])) {
    const account = await accountById(sql, id)
    if (account?.kind === 'person')
      await insertMails(
        sql,
        'credentials_changed',
        [{ recipient: account.email, account: id, about: action }],
        now,
      )
  }
}
