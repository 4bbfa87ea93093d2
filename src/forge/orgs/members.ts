import type { Page, Paging } from '../../db/page.ts'
import type { Tx } from '../../db/sql.ts'
import { pagesOf } from '../../http/route/page.ts'
import { forbidden, found, notFound, Problem } from '../../http/route/problem.ts'
import { noBody } from '../../http/route/sends.ts'
import type { Account } from '../accounts/account-store.ts'
import { printUsers, User } from '../accounts/user.shape.ts'
import { type Actor, accountTarget, record } from '../audit/audit-trail.ts'
import type { OnSubject, SignedInOnSubject } from '../auth/access.ts'
import { orgMember, orgOwnerOrSelf, orgSeen, signedInOrgSeen } from '../auth/org-access.ts'
import { type ForgeContext, route } from '../route.ts'
import { lastOwner, memberNamed, seesAllMembers } from './member-named.ts'
import { lockMembers, membershipOf, removeFromOrganization, updateMembership } from './membership-store.ts'
import { pageOfMembers } from './org-store.ts'

export const orgListMembers = route('GET /orgs/{org}/members', {
  summary: 'Members of an organization; callers who are no members get the public members',
  access: signedInOrgSeen(),
  ...pagesOf(User),
  handler: (context) => listMembersFor(context, !seesAllMembers(context.caller)),
})

export const orgIsMember = route('GET /orgs/{org}/members/{username}', {
  summary:
    'Whether a user is a member: 204, or 404; callers who are no members are redirected to the public members',
  access: signedInOrgSeen(),
  fails: [303],
  returns: noBody(204),
  handler: async ({ caller, params, sql, tools }) => {
    const user = await memberNamed(sql, caller, params.username)
    if (!seesAllMembers(caller) && caller.me.id !== user.id) {
      throw seeOther(`${tools.root}api/v1/orgs/${caller.subject.name}/public_members/${user.name}`)
    }
    found(await membershipOf(sql, caller.subject.id, user.id))
  },
})

export const orgDeleteMember = route('DELETE /orgs/{org}/members/{username}', {
  summary: 'Remove a member from all teams of an organization; members may remove themselves',
  access: orgOwnerOrSelf(),
  fails: [422],
  returns: noBody(204),
  handler: async ({ caller, params, from, sql, begin }) => {
    const user = await memberNamed(sql, caller, params.username)
    await begin(async (tx) => {
      if (!(await lockMembers(tx, caller.subject.id))) throw notFound()
      const removal = await removeFromOrganization(tx, caller.subject.id, user.id)
      if (removal === 'none') throw notFound()
      if (removal === 'last owner') throw lastOwner(user)
      await recordMember(tx, { caller, from }, 'member.removed', user)
    })
  },
})

export const orgListPublicMembers = route('GET /orgs/{org}/public_members', {
  summary: 'Public members of an organization',
  access: orgSeen(),
  ...pagesOf(User),
  handler: (context) => listMembersFor(context, true),
})

export const orgIsPublicMember = route('GET /orgs/{org}/public_members/{username}', {
  summary: 'Whether a user is a public member: 204, or 404',
  access: orgSeen(),
  returns: noBody(204),
  handler: async ({ caller, params, sql }) => {
    const user = await memberNamed(sql, caller, params.username)
    const membership = await membershipOf(sql, caller.subject.id, user.id)
    if (!membership?.is_public) throw notFound()
  },
})

export const orgPublicizeMember = route('PUT /orgs/{org}/public_members/{username}', {
  summary: 'Make a membership public',
  access: orgMember(),
  returns: noBody(204),
  handler: (context) => setPublic(context, true),
})

export const orgConcealMember = route('DELETE /orgs/{org}/public_members/{username}', {
  summary: 'Make a membership private',
  access: orgMember(),
  returns: noBody(204),
  handler: (context) => setPublic(context, false),
})

async function listMembersFor(
  context: ForgeContext<OnSubject, { query: Paging }>,
  onlyPublic: boolean,
): Promise<Page<User>> {
  const organization = context.caller.subject.id
  return printUsers(await pageOfMembers(context.sql, { organization, onlyPublic }, context.query), context)
}

type MemberActor = Actor & { caller: SignedInOnSubject }

/** 303: the client sends a GET to the location for the answer (RFC 9110 §15.4.4). */
const seeOther = (location: string) =>
  new Problem(303, 'see other', { form: 'empty', headers: { Location: location } })

/** @throws Problem 403 unless it is the caller's own membership, or the caller is an owner; 404 */
async function setPublic(
  { caller, params, from, sql, begin }: ForgeContext<SignedInOnSubject, { params: { username: string } }>,
  isPublic: boolean,
): Promise<void> {
  const user = await memberNamed(sql, caller, params.username)
  if (user.id !== caller.me.id && !caller.is_owner && !caller.me.is_admin)
    throw forbidden('Cannot change the membership of others')
  await begin(async (tx) => {
    if (!(await updateMembership(tx, caller.subject.id, user.id, isPublic))) throw notFound()
    await recordMember(tx, { caller, from }, isPublic ? 'member.publicized' : 'member.concealed', user)
  })
}

async function recordMember(
  tx: Tx,
  by: MemberActor,
  action: `member.${string}`,
  { name }: Account,
): Promise<void> {
  await record(tx, by, { action, target: accountTarget(by.caller.subject), details: { member: name } })
}
