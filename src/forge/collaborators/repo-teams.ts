import type { Sql } from '../../db/sql.ts'
import { pagesOf } from '../../http/route/page.ts'
import { forbidden, found, Problem, unprocessable } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { printTeam, printTeams, Team } from '../orgs/team.shape.ts'
import { lockTeam, pageOfTeams, type TeamFilter, teamByName } from '../orgs/team-store.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { repoAdmin, type SignedInOnRepository, signedInRepoSeen } from '../repos/access.ts'
import { type ForgeContext, route } from '../route.ts'
import { giveRepository, requireTeamAccess, takeRepository } from './team-access.ts'

/** Teams that have a repository of an organization. If a user owns it, the answer is 405, as in the original. */

export const repoListTeams = route('GET /repos/{owner}/{repo}/teams', {
  summary: 'Teams that have a repository, by name, as far as the caller may see them',
  access: signedInRepoSeen(),
  ...pagesOf(Team),
  fails: [405],
  handler: async ({ caller, query, sql, from }) =>
    printTeams(await pageOfTeams(sql, filterOf(caller), query), from.host),
})

export const repoCheckTeam = route('GET /repos/{owner}/{repo}/teams/{team}', {
  summary: 'A team, if it has the repository',
  access: signedInRepoSeen(),
  fails: [405],
  returns: json(200, Team),
  handler: async ({ caller, params, sql, from }) => {
    const filter = filterOf(caller)
    const team = await teamNamed(sql, caller, params.team)
    const having = await pageOfTeams(sql, { ...filter, only: team.id }, { page: 1, limit: 1 })
    return printTeam(found(having.rows[0]), from.host)
  },
})

export const repoAddTeam = route('PUT /repos/{owner}/{repo}/teams/{team}', {
  summary: 'Add a repository to a team of its organization',
  access: repoAdmin(),
  fails: [405, 422],
  returns: noBody(204),
  handler: (context) => changeTeam(context, giveRepository, 'is already added to repo'),
})

export const repoDeleteTeam = route('DELETE /repos/{owner}/{repo}/teams/{team}', {
  summary: 'Remove a repository from a team',
  access: repoAdmin(),
  fails: [405, 422],
  returns: noBody(204),
  handler: (context) => changeTeam(context, takeRepository, 'was not added to repo'),
})

/** Only members of the organization and administrators of the repository can see teams. @throws Problem 403, 405 */
function filterOf(caller: SignedInOnRepository): TeamFilter {
  const { me, subject, repo } = caller
  requireOrganization(caller)
  const seesAll = repo.level >= LEVELS.admin
  if (!seesAll && !caller.is_member) throw forbidden('Must be an organization member')
  return {
    organization: subject.id,
    viewer: me.id,
    seesAll,
    q: '',
    inDescription: false,
    repository: repo.id,
  }
}

/**
 * Gives the repository to the team of the path, or takes it; `refusal` says why there is nothing to change.
 * @throws Problem 403, 404, 405, 422
 */
async function changeTeam(
  context: ForgeContext<SignedInOnRepository, { params: { team: string } }>,
  change: typeof giveRepository,
  refusal: string,
): Promise<void> {
  const { caller, params, sql, begin } = context
  requireOrganization(caller)
  requireTeamAccess(caller, caller.repo.level)
  const { id } = await teamNamed(sql, caller, params.team)
  await begin(async (tx) => {
    const team = found(await lockTeam(tx, id))
    if (!(await change(tx, context, team, caller.repo))) throw unprocessable(`team '${team.name}' ${refusal}`)
  })
}

/** @throws Problem 404 */
const teamNamed = async (sql: Sql, { subject }: SignedInOnRepository, name: string) =>
  found(await teamByName(sql, subject.id, name))

/** @throws Problem 405 */
function requireOrganization({ subject }: SignedInOnRepository): void {
  if (subject.kind !== 'organization') throw new Problem(405, 'repo is not owned by an organization')
}
