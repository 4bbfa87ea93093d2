import type { Sql, Tx } from '../../db/sql.ts'
import { pagesOf } from '../../http/route/page.ts'
import { forbidden, found, notFound, unprocessable } from '../../http/route/problem.ts'
import { id } from '../../http/route/values.ts'
import { nameKey } from '../accounts/account.ts'
import { record } from '../admin/audit-trail.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import { endUnreadableWatches, watchThroughTeams } from '../notifications/watch-store.ts'
import { teamMember, teamSeen } from '../orgs/access.ts'
import { lockTeam, type Team } from '../orgs/team-store.ts'
import { type ForgeContext, route } from '../route.ts'
import { LEVELS } from './access-level.ts'
import { type Listed, pageOfRepositories, type RepositoryFilter } from './list.ts'
import { Repository } from './repo.shape.ts'
import { listRepositories, printListed } from './repos.ts'
import { deleteTeamRepository, insertTeamRepository } from './team-repo-store.ts'
import { readerOf } from './visibility.ts'

/** Repositories of a team: all of its organization, or those assigned to it. */

const list = route('GET /teams/{id}/repos', {
  operationId: 'orgListTeamRepos',
  summary: 'Repositories that a team has and the caller may see, by name',
  access: teamSeen(),
  params: { id },
  ...pagesOf(Repository),
  handler: (context) => listRepositories(context, { team: context.params.id }, 'alpha asc'),
})

const show = route('GET /teams/{id}/repos/{org}/{repo}', {
  operationId: 'orgListTeamRepo',
  summary: 'A repository, if the team has it',
  access: teamSeen(),
  params: { id },
  returns: [200, Repository],
  handler: async ({ caller, params, sql, from }) =>
    printListed(await repositoryIn(sql, caller, params, { team: params.id }), caller, from.host),
})

const add = route('PUT /teams/{id}/repos/{org}/{repo}', {
  operationId: 'orgAddTeamRepository',
  summary: 'Give a team a repository of its organization',
  access: teamMember(),
  params: { id },
  returns: [204],
  handler: async (context) => {
    const { row } = await requireTeamChanger(context)
    await context.begin(async (tx) => {
      const team = found(await lockTeam(tx, context.params.id))
      await giveRepository(tx, context, team, row)
    })
  },
})

const remove = route('DELETE /teams/{id}/repos/{org}/{repo}', {
  operationId: 'orgRemoveTeamRepository',
  summary: 'Take a repository from a team; one that it has not stays so',
  access: teamMember(),
  params: { id },
  fails: [422],
  returns: [204],
  handler: async (context) => {
    const { row } = await requireTeamChanger(context)
    await context.begin(async (tx) => {
      const team = found(await lockTeam(tx, context.params.id))
      await takeRepository(tx, context, team, row)
    })
  },
})

export const teamRepoRoutes = [list, show, add, remove]

/**
 * Refuses administrators of a repository who do not own it, unless its organization lets them give it to teams.
 * @throws Problem 403
 */
export function requireTeamAccess({ subject }: SignedInOnSubject, level: number): void {
  if (level < LEVELS.owner && !subject.repo_admin_change_team_access)
    throw forbidden('user is nor repo admin nor owner')
}

type TeamActor = ForgeContext<SignedInOnSubject>
type Named = { id: number; name: string }

/** Gives a locked team a repository. False: it had the repository by assignment already. */
export async function giveRepository(
  tx: Tx,
  actor: TeamActor,
  team: Team,
  repository: Named,
): Promise<boolean> {
  if (!(await insertTeamRepository(tx, team.id, repository.id))) return false
  await watchThroughTeams(tx, { repository: repository.id, team: team.id })
  await record(tx, actor, { action: 'team.repository_added', ...auditEntry(actor, team, repository) })
  return true
}

/** Takes a repository from a locked team. False: it did not have it. @throws Problem 422 has all */
export async function takeRepository(
  tx: Tx,
  actor: TeamActor,
  team: Team,
  repository: Named,
): Promise<boolean> {
  if (team.includes_all_repositories || team.permission === 'owner')
    throw unprocessable('the team has all repositories of its organization')
  if (!(await deleteTeamRepository(tx, team.id, repository.id))) return false
  await endUnreadableWatches(tx, { repository: repository.id })
  await record(tx, actor, { action: 'team.repository_removed', ...auditEntry(actor, team, repository) })
  return true
}

function auditEntry({ caller }: TeamActor, team: Team, repository: Named) {
  const target = { kind: 'team', id: team.id, name: team.name }
  return { target, details: { organization: caller.subject.name, repository: repository.name } }
}

type Path = { org: string; repo: string }

/** The repository of the team's organization named in the path, if the caller may see it. @throws Problem 404 */
async function repositoryIn(
  sql: Sql,
  caller: SignedInOnSubject,
  { org, repo }: Path,
  filter: RepositoryFilter = {},
): Promise<Listed> {
  const { subject } = caller
  if (nameKey(org) !== subject.name.toLowerCase() || !/^[\w.-]{1,100}$/.test(repo)) throw notFound()
  const wanted = { ...filter, owner: subject.id, key: repo.toLowerCase() }
  const one = { page: 1, limit: 1 }
  const { rows } = await pageOfRepositories(sql, readerOf(caller), wanted, one, 'id asc')
  return found(rows[0])
}

/** The same, if the caller may give it to teams. @throws Problem 403, 404 */
async function requireTeamChanger(context: {
  caller: SignedInOnSubject
  params: Path
  sql: Sql
}): Promise<Listed> {
  const listed = await repositoryIn(context.sql, context.caller, context.params)
  if (listed.level < LEVELS.admin) throw forbidden('Must have admin-level access to the repository')
  requireTeamAccess(context.caller, listed.level)
  return listed
}
