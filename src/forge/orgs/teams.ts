import type { Outcome } from '../../common/outcome.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import type { Conflicts } from '../../http/route/route.ts'
import { json, noBody, searched } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { teamNameFault } from '../accounts/names.ts'
import { record } from '../audit/audit-trail.ts'
import { isPublicOnly, type SignedInOnSubject, signedIn } from '../auth/access.ts'
import { orgMember, orgOwner, teamOwner, teamSeen } from '../auth/org-access.ts'
import { type Rights, rightsAfter } from '../permissions/units.ts'
import { flag } from '../protocol/parameters.ts'
import { queryText } from '../protocol/query.ts'
import { route } from '../route.ts'
import { endUnreadableWatches, watchThroughTeams } from '../watching/watch-store.ts'
import { lockMembers, removeAllFromTeam } from './membership-store.ts'
import { CreateTeamOption, EditTeamOption, editedTeam, teamDraft } from './team.option.ts'
import { printTeam, printTeams, Team, TeamSearch } from './team.shape.ts'
import {
  deleteTeam,
  insertTeam,
  lockTeam,
  pageOfTeams,
  pageOfTeamsOf,
  type TeamFilter,
  teamById,
  teamTarget,
  updateTeam,
} from './team-store.ts'

export const orgListTeams = route('GET /orgs/{org}/teams', {
  summary: 'Teams of an organization by name, as far as the caller may see them',
  access: orgMember(),
  ...pagesOf(Team),
  handler: async ({ caller, query, from, sql }) =>
    printTeams(await pageOfTeams(sql, seenBy(caller), query), from.host),
})

export const teamSearch = route('GET /orgs/{org}/teams/search', {
  summary: 'Teams whose name or description contains a text',
  access: orgMember(),
  query: { q: queryText, include_desc: queryText, ...pageQuery() },
  returns: searched(TeamSearch),
  shared: 'until written',
  handler: async ({ caller, query, from, sql }) => {
    const inDescription = query.include_desc === '' || flag(query.include_desc)
    const filter = { ...seenBy(caller), q: query.q, inDescription }
    return printTeams(await pageOfTeams(sql, filter, query), from.host)
  },
})

export const orgCreateTeam = route('POST /orgs/{org}/teams', {
  summary: 'Create a team',
  access: orgOwner(),
  body: CreateTeamOption,
  returns: json(201, Team),
  handler: async ({ body, caller, from, begin }) => {
    refuseName(body.name)
    const rights = rightsOrRefuse(rightsAfter({ permission: 'none', units: {} }, body))
    const { subject } = caller
    const create = begin(async (tx) => {
      const team = await insertTeam(tx, subject.id, teamDraft(body, rights))
      const details = { organization: subject.name, permission: team.permission }
      await record(tx, { caller, from }, { action: 'team.created', target: teamTarget(team), details })
      return team
    })
    const team = await mapConstraints(create, nameConflict(body.name, subject.id))
    return printTeam({ ...team, organization: subject }, from.host)
  },
})

export const orgGetTeam = route('GET /teams/{id}', {
  summary: 'A team',
  access: teamSeen(),
  params: { id },
  returns: json(200, Team),
  shared: 'until written',
  handler: async ({ params, from, sql }) => printTeam(found(await teamById(sql, params.id)), from.host),
})

export const orgEditTeam = route('PATCH /teams/{id}', {
  summary: 'Change a team; omitted members keep their values',
  access: teamOwner(),
  params: { id },
  body: EditTeamOption,
  returns: json(200, Team),
  handler: async ({ params, body, caller, from, begin }) => {
    if (body.name) refuseName(body.name)
    const { subject } = caller
    const edit = begin(async (tx) => {
      // Creating a repository takes this lock too, so that the members watch the new repository in either order.
      if (body.includes_all_repositories) await lockMembers(tx, subject.id)
      const team = found(await lockTeam(tx, params.id))
      if (team.permission === 'owner' && body.name && body.name !== team.name) {
        throw unprocessable('the team of owners keeps its name')
      }
      const rights = rightsOrRefuse(rightsAfter(team, body))
      const edited = found(await updateTeam(tx, editedTeam(team, body, rights)))
      if (edited.includes_all_repositories && !team.includes_all_repositories)
        await watchThroughTeams(tx, { team: team.id })
      else await endUnreadableWatches(tx, { owner: subject.id })
      const details = { organization: subject.name, ...body }
      await record(tx, { caller, from }, { action: 'team.edited', target: teamTarget(edited), details })
      return edited
    })
    const edited = await mapConstraints(edit, nameConflict(body.name ?? '', subject.id))
    return printTeam({ ...edited, organization: subject }, from.host)
  },
})

export const orgDeleteTeam = route('DELETE /teams/{id}', {
  summary: 'Delete a team; its members leave the organization unless they are in another team',
  access: teamOwner(),
  params: { id },
  fails: [422],
  returns: noBody(204),
  handler: async ({ params, caller, from, begin }) => {
    await begin(async (tx) => {
      await lockMembers(tx, caller.subject.id)
      const team = found(await lockTeam(tx, params.id))
      if (team.permission === 'owner') throw unprocessable('the team of owners cannot be deleted')
      await removeAllFromTeam(tx, team)
      await deleteTeam(tx, team.id)
      const details = { organization: caller.subject.name }
      await record(tx, { caller, from }, { action: 'team.deleted', target: teamTarget(team), details })
    })
  },
})

export const userListTeams = route('GET /user/teams', {
  summary: 'Teams that the caller is in',
  access: signedIn('user', 'organization'),
  ...pagesOf(Team),
  handler: async ({ caller, query, from, sql }) => {
    const mine = { account: caller.me.id, onlyPublic: isPublicOnly(caller) }
    return printTeams(await pageOfTeamsOf(sql, mine, query), from.host)
  },
})

function seenBy({ me, subject, is_owner }: SignedInOnSubject): TeamFilter {
  const seesAll = me.is_admin || is_owner
  return { organization: subject.id, viewer: me.id, seesAll, q: '', inDescription: false }
}

/** @throws Problem 422 */
function refuseName(name: string): void {
  const fault = teamNameFault(name)
  if (fault !== undefined) throw unprocessable(fault)
}

/** @throws Problem 422 */
function rightsOrRefuse(rights: Outcome<Rights, string>): Rights {
  if (rights.ok) return rights.value
  throw unprocessable(rights.fault)
}

const nameConflict = (name: string, organization: number): Conflicts => ({
  team_name_unique: [422, `team already exists [org_id: ${organization}, name: ${name}]`],
})
