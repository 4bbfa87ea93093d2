import type { Tx } from '../../db/sql.ts'
import { forbidden, unprocessable } from '../../http/route/problem.ts'
import { record } from '../audit/audit-trail.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import type { Team } from '../orgs/team-store.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import type { ForgeContext } from '../route.ts'
import { endUnreadableWatches, watchThroughTeams } from '../watching/watch-store.ts'
import { deleteTeamRepository, insertTeamRepository } from './team-repo-store.ts'

/**
 * Only owners of a repository and, if its organization allows it, administrators may add it to teams.
 * @throws Problem 403
 */
export function requireTeamAccess({ subject }: SignedInOnSubject, level: number): void {
  if (level < LEVELS.owner && !subject.repo_admin_change_team_access)
    throw forbidden('user is nor repo admin nor owner')
}

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

type TeamActor = ForgeContext<SignedInOnSubject>
type Named = { id: number; name: string }

function auditEntry({ caller }: TeamActor, team: Team, repository: Named) {
  const target = { kind: 'team', id: team.id, name: team.name }
  return { target, details: { organization: caller.subject.name, repository: repository.name } }
}
