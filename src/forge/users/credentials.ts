import { found, notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { lockAccount } from '../accounts/account-store.ts'
import { nameUnknown } from '../accounts/names.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import { siteAdminOn } from '../auth/access.ts'
import { deleteTotp } from '../auth/totp-store.ts'
import { printDate } from '../protocol/time.ts'
import { route } from '../route.ts'
import { PasswordLink } from './credentials.shape.ts'
import { makePasswordLink } from './own-password.ts'

// What administrators do for people who have lost what they sign in with.

export const adminMakePasswordLink = route('POST /admin/users/{username}/password-link', {
  extension: true,
  summary: 'Make a link with which a user sets a new password, once, within an hour',
  access: siteAdminOn(),
  fails: [422],
  returns: json(201, PasswordLink),
  handler: async (context) => {
    const { url, expiresAt } = await makePasswordLink(context)
    return { url, expires_at: printDate(expiresAt) }
  },
})

export const adminRemoveTotp = route('DELETE /admin/users/{username}/totp', {
  extension: true,
  summary: 'Let a user sign in without one-time codes, who has lost them',
  access: siteAdminOn(),
  fails: [404],
  returns: noBody(204),
  handler: async (context) => {
    const { begin, caller } = context
    const { subject } = caller
    await begin(async (tx) => {
      const user = found(await lockAccount(tx, subject.id), nameUnknown(subject.name))
      if (!(await deleteTotp(tx, user.id))) throw notFound(`${user.name} has no one-time codes`)
      await record(tx, context, { action: 'user.totp_removed', target: accountTarget(user) })
    })
  },
})
