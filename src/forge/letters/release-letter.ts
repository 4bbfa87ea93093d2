import type { Sql } from '../../db/sql.ts'
import type { Letter } from '../../mail/letter.ts'
import type { WaitingMail } from '../../mail/mail-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { escapeSegments } from '../protocol/escape-segments.ts'
import { shortened } from './activity-letter.ts'
import { releaseForMail } from './activity-store.ts'

/**
 * What a mail about a new release says to an account; undefined: it may not see the release any more, or the release is gone.
 * `unsubscribe`: the address that ends such mails.
 */
export async function releaseLetter(
  sql: Sql,
  mail: WaitingMail & { account_id: number },
  { root, unsubscribe }: { root: string; unsubscribe: string },
): Promise<Letter | undefined> {
  const release = await releaseForMail(sql, { release: Number(mail.about), account: mail.account_id })
  if (!release) return undefined
  const { owner, repository, tag_name: tag, name, body, author } = release
  const title = name === '' || name === tag ? tag : `${name} (${tag})`
  return {
    subject: `[${owner}/${repository}] New release: ${title}`,
    paragraphs: [
      `${author ?? ghost.name} has released ${tag} of ${owner}/${repository}.`,
      ...(body.trim() === '' ? [] : [shortened(body)]),
      { link: `${root}${owner}/${repository}/releases/tag/${escapeSegments(tag)}` },
      'You get this because you watch the repository. Mails of notifications end here:',
      { link: unsubscribe },
    ],
    thread: `release.${mail.about}`,
    unsubscribe,
  }
}
