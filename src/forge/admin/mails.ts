import { mapPage } from '../../db/page.ts'
import type { Tx } from '../../db/sql.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { noBody } from '../../http/route/sends.ts'
import { deleteMail, lockMail, pageOfMails, requeueMail, type UnsentMail } from '../../mail/mail-store.ts'
import { record } from '../audit/audit-trail.ts'
import { type SignedIn, siteAdmin } from '../auth/access.ts'
import { integer } from '../protocol/parameters.ts'
import { queryWord } from '../protocol/query.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { type ForgeContext, route } from '../route.ts'
import { Mail } from './mail.shape.ts'

export const adminListMails = route('GET /admin/mails', {
  ...pagesOf(Mail),
  extension: true,
  summary: 'Mails that wait or were given up, newest first',
  access: siteAdmin(),
  query: { ...pageQuery(), state: queryWord('waiting', 'failed') },
  handler: async ({ query, sql }) => mapPage(await pageOfMails(sql, query.state, query), printMail),
})

/** The declaration of an operation that changes a mail. */
const changing = {
  extension: true,
  access: siteAdmin(),
  fails: [404],
  returns: noBody(204),
} as const

export const adminRetryMail = route('POST /admin/mails/{id}/retry', {
  ...changing,
  summary: 'Try a mail again now that waits or was given up',
  conflicts: { mail_waiting_unique: [409, 'the same mail to this recipient waits already'] },
  handler: (context) => changeMail(context, 'mail.retried', requeueMail),
})

export const adminDeleteMail = route('DELETE /admin/mails/{id}', {
  ...changing,
  summary: 'Delete a mail that waits or was given up',
  handler: (context) => changeMail(context, 'mail.deleted', deleteMail),
})

/** @throws Problem 404 there is no such mail, or it was sent */
async function changeMail(
  context: ForgeContext<SignedIn, { params: { id: string } }>,
  action: 'mail.retried' | 'mail.deleted',
  change: (tx: Tx, id: number) => Promise<void>,
): Promise<void> {
  await context.begin(async (tx) => {
    const { id, kind, recipient } = found(await lockMail(tx, integer(context.params.id)))
    await change(tx, id)
    await record(tx, context, { action, target: { kind: 'mail', id, name: recipient }, details: { kind } })
  })
}

function printMail({ id, kind, recipient, state, attempts, error, created_at, due_at }: UnsentMail): Mail {
  return {
    id,
    kind,
    recipient,
    state,
    attempts,
    error,
    created_at: printTime(created_at, EPOCH),
    next_attempt: state === 'failed' ? null : printTime(due_at, EPOCH),
  }
}
