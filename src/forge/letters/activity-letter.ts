import type { Sql } from '../../db/sql.ts'
import type { Letter } from '../../mail/letter.ts'
import type { WaitingMail } from '../../mail/mail-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { commentsForMail, issueForMail } from './activity-store.ts'

/** Comments that are a little older than the mail are what it is about, in milliseconds. */
const leeway = 5 * 60_000

/** Longest text of one person that a mail repeats, in characters. */
const maxText = 10_000

/**
 * What a mail about an issue says to an account; undefined: it may not read the issue any more, or the issue is gone.
 * `unsubscribe`: the address that ends such mails.
 */
export async function activityLetter(
  sql: Sql,
  mail: WaitingMail & { account_id: number },
  { root, unsubscribe }: { root: string; unsubscribe: string },
): Promise<Letter | undefined> {
  const issue = await issueForMail(sql, { issue: Number(mail.about), account: mail.account_id })
  if (!issue) return undefined
  const since = new Date(new Date(mail.created_at).getTime() - leeway)
  const comments = await commentsForMail(sql, Number(mail.about), since)
  const isNew = new Date(issue.created_at) >= since
  const texts = [...(isNew ? [issue] : []), ...comments]
    .filter(({ body }) => body.trim() !== '')
    .map(({ poster, body }) => `${poster ?? ghost.name}:\n${shortened(body)}`)
  const { owner, repository, number, is_pull, title } = issue
  return {
    subject: `[${owner}/${repository}] ${title} (#${number})`,
    paragraphs: [
      ...(texts.length > 0 ? texts : ['Something has changed:']),
      { link: `${root}${owner}/${repository}/${is_pull ? 'pulls' : 'issues'}/${number}` },
      'You get this because you watch it, take part in it or are named in it. Mails of notifications end here:',
      { link: unsubscribe },
    ],
    thread: `issue.${mail.about}`,
    unsubscribe,
  }
}

/** A text of one person as a mail repeats it. */
export const shortened = (text: string) => (text.length > maxText ? `${text.slice(0, maxText)} …` : text)
