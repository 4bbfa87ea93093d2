import type { Sql } from '../../db/sql.ts'
import { pagesOf } from '../../http/route/page.ts'
import { forbidden, found, notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { nameKey } from '../accounts/account-store.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import { teamMember, teamSeen } from '../auth/org-access.ts'
import { lockTeam } from '../orgs/team-store.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { listRepositories, printListed } from '../repos/listed-repositories.ts'
import { Repository } from '../repos/repo.shape.ts'
import type { RepositoryFilter } from '../repos/repo-filter-store.ts'
import { type Listed, pageOfRepositories } from '../repos/repo-list-store.ts'
import { readerOf } from '../repos/visibility.ts'
import { type ForgeContext, route } from '../route.ts'
import { giveRepository, requireTeamAccess, takeRepository } from './team-access.ts'

/** Repositories of a team: all of its organization, or those assigned to it. */

export const orgListTeamRepos = route('GET /teams/{id}/repos', {
  summary: 'Repositories that a team has and the caller may see, by name',
  access: teamSeen(),
  params: { id },
  ...pagesOf(Repository),
  handler: (context) => listRepositories(context, { team: context.params.id }, 'alpha asc'),
})

export const orgListTeamRepo = route('GET /teams/{id}/repos/{org}/{repo}', {
  summary: 'A repository, if the team has it',
  access: teamSeen(),
  params: { id },
  returns: json(200, Repository),
  handler: async ({ caller, params, sql, from }) =>
    printListed(await repositoryIn(sql, caller, params, { team: params.id }), caller, from.host),
})

export const orgAddTeamRepository = route('PUT /teams/{id}/repos/{org}/{repo}', {
  summary: 'Add a repository of the organization to a team',
  access: teamMember(),
  params: { id },
  returns: noBody(204),
  handler: (context) => changeTeam(context, giveRepository),
})

export const orgRemoveTeamRepository = route('DELETE /teams/{id}/repos/{org}/{repo}', {
  summary: 'Remove a repository from a team; 204 also if the team does not have it',
  access: teamMember(),
  params: { id },
  fails: [422],
  returns: noBody(204),
  handler: (context) => changeTeam(context, takeRepository),
})

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
  const named = { ...filter, owner: subject.id, key: repo.toLowerCase() }
  const one = { page: 1, limit: 1 }
  const { rows } = await pageOfRepositories(sql, readerOf(caller), named, one, 'id asc')
  return found(rows[0])
}

/** Gives the repository of the path to the team, or takes it. @throws Problem 403, 404, and those of `change` */
async function changeTeam(
  context: ForgeContext<SignedInOnSubject, { params: Path & { id: number } }>,
  change: typeof giveRepository,
): Promise<void> {
  const { caller, params, sql, begin } = context
  const { row, level } = await repositoryIn(sql, caller, params)
  if (level < LEVELS.admin) throw forbidden('Must have admin-level access to the repository')
  requireTeamAccess(caller, level)
  await begin(async (tx) => {
    await change(tx, context, found(await lockTeam(tx, params.id)), row)
  })
}
