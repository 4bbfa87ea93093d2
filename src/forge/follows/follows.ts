import type { Page, Paging } from '../../db/page.ts'
import { pagesOf } from '../../http/route/page.ts'
import { notFound } from '../../http/route/problem.ts'
import { noBody } from '../../http/route/sends.ts'
import type { Account } from '../accounts/account-store.ts'
import { printUsers, User } from '../accounts/user.shape.ts'
import { isPublicOnly, type SignedIn, signedIn, visibleInLists } from '../auth/access.ts'
import { signedInUserSeen } from '../auth/user-access.ts'
import { visibleUserNamed } from '../auth/user-visibility.ts'
import { type ForgeContext, route } from '../route.ts'
import { deleteFollow, insertFollow, isFollowing, pageOfFollowed, pageOfFollowers } from './follow-store.ts'

export const userCurrentListFollowers = route('GET /user/followers', {
  summary: 'Users who follow the caller',
  access: signedIn('user'),
  ...pagesOf(User),
  handler: (context) => listUsers(context, pageOfFollowers, context.caller.me),
})

export const userCurrentListFollowing = route('GET /user/following', {
  summary: 'Accounts that the caller follows',
  access: signedIn('user'),
  ...pagesOf(User),
  handler: (context) => listUsers(context, pageOfFollowed, context.caller.me),
})

export const userListFollowers = route('GET /users/{username}/followers', {
  summary: 'Users who follow an account',
  access: signedInUserSeen('user'),
  ...pagesOf(User),
  handler: (context) => listUsers(context, pageOfFollowers, context.caller.subject),
})

export const userListFollowing = route('GET /users/{username}/following', {
  summary: 'Accounts that a user follows',
  access: signedInUserSeen('user'),
  ...pagesOf(User),
  handler: (context) => listUsers(context, pageOfFollowed, context.caller.subject),
})

export const userCurrentCheckFollowing = route('GET /user/following/{username}', {
  summary: 'Whether the caller follows an account: 204, else 404',
  access: signedInUserSeen('user'),
  fails: [404],
  returns: noBody(204),
  handler: async ({ caller: { me, subject }, sql }) => {
    if (!(await isFollowing(sql, me.id, subject.id))) throw notFound()
  },
})

export const userCheckFollowing = route('GET /users/{username}/following/{target}', {
  summary: 'Whether a user follows another one: 204, else 404',
  access: signedInUserSeen('user'),
  fails: [404],
  returns: noBody(204),
  handler: async ({ caller, params, sql }) => {
    const target = await visibleUserNamed(sql, caller, params.target, () => false)
    if (!(await isFollowing(sql, caller.subject.id, target.id))) throw notFound()
  },
})

export const userCurrentPutFollow = route('PUT /user/following/{username}', {
  summary: 'Follow an account; 204 also if the caller follows it, or is it',
  access: signedInUserSeen('user'),
  returns: noBody(204),
  handler: ({ caller: { me, subject }, begin }) =>
    begin(async (tx) => {
      if (me.id !== subject.id) await insertFollow(tx, me.id, subject.id)
    }),
})

export const userCurrentDeleteFollow = route('DELETE /user/following/{username}', {
  summary: 'Follow an account no longer; 204 also if the caller does not follow it',
  access: signedInUserSeen('user'),
  returns: noBody(204),
  handler: ({ caller: { me, subject }, begin }) => begin((tx) => deleteFollow(tx, me.id, subject.id)),
})

/** A page of the followers of an account, or of those that it follows, as far as the caller may see them. */
async function listUsers(
  context: ForgeContext<SignedIn, { query: Paging }>,
  pageOf: typeof pageOfFollowers,
  { id }: Account,
): Promise<Page<User>> {
  const { caller, query, sql } = context
  const reader = { visibilities: visibleInLists(caller), id: isPublicOnly(caller) ? null : caller.me.id }
  return printUsers(await pageOf(sql, id, reader, query), context)
}
