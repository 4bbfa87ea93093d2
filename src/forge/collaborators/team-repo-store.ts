import { anyRow } from '../../db/rows.ts'
import type { Tx } from '../../db/sql.ts'

/** Gives a team a repository of its organization. False: the team has it already, or team or repository was deleted. */
export const insertTeamRepository = (tx: Tx, team: number, repository: number) =>
  anyRow(tx`
    insert into forge.team_repository (team_id, repository_id)
    select team.id, repository.id
    from forge.team
    join forge.repository on repository.owner_id = team.organization_id
    where team.id = ${team} and repository.id = ${repository} and repository.state = 'ready'
    on conflict on constraint team_repository_pkey do nothing`)

/** False: the team did not have it by assignment. */
export const deleteTeamRepository = (tx: Tx, team: number, repository: number) =>
  anyRow(tx`
    delete from forge.team_repository
    where team_id = ${team} and repository_id = ${repository}`)

/** Removes a repository from all teams, when its owner changes. */
export async function deleteTeamsOfRepository(tx: Tx, repository: number): Promise<void> {
  await tx`
    delete from forge.team_repository
    where repository_id = ${repository}`
}
