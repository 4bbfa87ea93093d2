import type { Tx } from '../../db/sql.ts'
import { pagesOf } from '../../http/route/page.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import type { Account } from '../accounts/account-store.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { printUser, printUsers, User } from '../accounts/user.shape.ts'
import { record } from '../audit/audit-trail.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import { teamOwner, teamSeen } from '../auth/org-access.ts'
import { type ForgeContext, route } from '../route.ts'
import { watchThroughTeams } from '../watching/watch-store.ts'
import { lastOwner, memberNamed } from './member-named.ts'
import { insertTeamMember, isInTeam, lockMembers, removeFromTeam } from './membership-store.ts'
import { pageOfTeamMembers } from './org-store.ts'
import { lockTeam, type Team, teamTarget } from './team-store.ts'

export const orgListTeamMembers = route('GET /teams/{id}/members', {
  summary: 'Members of a team',
  access: teamSeen(),
  params: { id },
  ...pagesOf(User),
  handler: async (context) =>
    printUsers(await pageOfTeamMembers(context.sql, context.params.id, context.query), context),
})

export const orgListTeamMember = route('GET /teams/{id}/members/{username}', {
  summary: 'A member of a team',
  access: teamSeen(),
  params: { id },
  returns: json(200, User),
  handler: async ({ params, caller, from, sql }) => {
    const user = await memberNamed(sql, caller, params.username)
    if (!(await isInTeam(sql, params.id, user.id))) throw notFound()
    return printUser(user, caller.me, from.host)
  },
})

export const orgAddTeamMember = route('PUT /teams/{id}/members/{username}', {
  summary: 'Add a user to a team',
  access: teamOwner(),
  params: { id },
  fails: [422],
  returns: noBody(204),
  handler: (context) =>
    changeMember(context, 'team.member_added', async (tx, team, user) => {
      refuseSystem(user)
      // Repeating the request succeeds and changes nothing.
      if (!(await insertTeamMember(tx, team, user.id))) return false
      await watchThroughTeams(tx, { team: team.id, account: user.id })
      return true
    }),
})

export const orgRemoveTeamMember = route('DELETE /teams/{id}/members/{username}', {
  summary: 'Remove a user from a team, and from the organization unless they are in another team',
  access: teamOwner(),
  params: { id },
  fails: [422],
  returns: noBody(204),
  handler: (context) =>
    changeMember(context, 'team.member_removed', async (tx, team, user) => {
      const removal = await removeFromTeam(tx, team, user.id)
      if (removal === 'none') throw notFound()
      if (removal === 'last owner') throw lastOwner(user)
      return true
    }),
})

/** Changes the membership of a user in a locked team; `change` returns whether it changed anything. @throws Problem 404 */
async function changeMember(
  context: ForgeContext<SignedInOnSubject, { params: { id: number; username: string } }>,
  action: `team.${string}`,
  change: (tx: Tx, team: Team, user: Account) => Promise<boolean>,
): Promise<void> {
  const { params, caller, sql, begin } = context
  const user = await memberNamed(sql, caller, params.username)
  await begin(async (tx) => {
    await lockMembers(tx, caller.subject.id)
    const team = found(await lockTeam(tx, params.id))
    if (!(await change(tx, team, user))) return
    const details = { organization: caller.subject.name, member: user.name }
    await record(tx, context, { action, target: teamTarget(team), details })
  })
}
