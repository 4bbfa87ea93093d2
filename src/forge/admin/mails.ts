import { mapPage } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { noBody } from '../../http/route/sends.ts'
import { deleteMail, lockMail, pageOfMails, requeueMail, type UnsentMail } from '../../mail/mail-store.ts'
import { record } from '../audit/audit-trail.ts'
import { siteAdmin } from '../auth/access.ts'
import { integer } from '../protocol/parameters.ts'
import { queryWord } from '../protocol/query.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { route } from '../route.ts'
import { Mail } from './mail.shape.ts'

export const adminListMails = route('GET /admin/mails', {
  ...pagesOf(Mail),
  extension: true,
  summary: 'Mails that wait or were given up, newest first',
  access: siteAdmin(),
  query: { ...pageQuery(), state: queryWord('waiting', 'failed') },
  handler: async ({ query, sql }) => mapPage(await pageOfMails(sql, query.state, query), printMail),
})

export const adminRetryMail = route('POST /admin/mails/{id}/retry', {
  extension: true,
  summary: 'Try a mail again now that waits or was given up',
  access: siteAdmin(),
  fails: [404],
  conflicts: { mail_waiting_unique: [409, 'the same mail to this recipient waits already'] },
  returns: noBody(204),
  handler: async (context) => {
    const { params, begin } = context
    await begin(async (tx) => {
      const mail = found(await lockMail(tx, integer(params.id)))
      await requeueMail(tx, mail.id)
      await record(tx, context, {
        action: 'mail.retried',
        target: targetOf(mail),
        details: { kind: mail.kind },
      })
    })
  },
})

export const adminDeleteMail = route('DELETE /admin/mails/{id}', {
  extension: true,
  summary: 'Delete a mail that waits or was given up',
  access: siteAdmin(),
  fails: [404],
  returns: noBody(204),
  handler: async (context) => {
    const { params, begin } = context
    await begin(async (tx) => {
      const mail = found(await lockMail(tx, integer(params.id)))
      await deleteMail(tx, mail.id)
      await record(tx, context, {
        action: 'mail.deleted',
        target: targetOf(mail),
        details: { kind: mail.kind },
      })
    })
  },
})

const targetOf = ({ id, recipient }: UnsentMail) => ({ kind: 'mail', id, name: recipient }) as const

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
