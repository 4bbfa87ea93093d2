import { PasswordLink } from '../../forge/users/credentials.shape.ts'
import { adminMakePasswordLink, adminRemoveTotp } from '../../forge/users/credentials.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { perform, read } from '../operations/perform.ts'
import { outcomeOf } from '../operations/refusal.ts'
import { route } from '../route.ts'
import { unstored } from '../sign-in/sign-in.ts'
import { accountForm, replyTo } from './reply.ts'
import { passwordLinkPage } from './user-link.ts'
import { pageOfUser } from './user-page.ts'

export const makePasswordLinkByPage = route('POST /-/admin/users/{username}/password-link', {
  ...accountForm,
  summary: 'Make a link with which a user sets a new password, and show it',
  fails: [404],
  also: [200, 422],
  handler: async ({ caller }) => {
    const params = { username: caller.subject.name }
    const made = await outcomeOf(read(caller, adminMakePasswordLink, PasswordLink, { params }), {})
    if (!made.ok) return new ReplyWith(await pageOfUser(caller, { refusal: made.fault }), { status: 422 })
    const page = passwordLinkPage(caller, caller.subject.name, made.value)
    return new ReplyWith(page, { status: 200, headers: unstored })
  },
})

export const removeTotpByPage = route('POST /-/admin/users/{username}/totp', {
  ...accountForm,
  summary: 'Let a user sign in without one-time codes',
  fails: [404],
  handler: ({ caller }) => {
    const { name } = caller.subject
    return replyTo(caller, perform(caller, adminRemoveTotp, { params: { username: name } }), {
      path: `users/${name}?done=codes`,
      again: (refusal) => pageOfUser(caller, { refusal }),
    })
  },
})
