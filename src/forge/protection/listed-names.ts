import type { Sql } from '../../db/sql.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { seesUser } from '../auth/user-visibility.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { teamsNamed, usersNamed } from './listed-name-store.ts'

/** Names on the lists of rules. */

/**
 * The ids of users by their names; those without access of at least `level` are left out.
 * @throws Problem 422 a name is that of no user whom the caller may know of
 */
export async function listedUsers(
  sql: Sql,
  caller: SignedInOnRepository,
  names: readonly string[],
  level: number,
): Promise<number[]> {
  const known = new Map((await usersNamed(sql, caller.repo.id, names)).map((user) => [user.key, user]))
  const users = names.map((name) => {
    const user = known.get(name.toLowerCase())
    if (user && (user.level > LEVELS.none || seesUser(user, caller))) return user
    throw unprocessable(`user does not exist [uid: 0, name: ${name}]`)
  })
  return [...new Set(users.filter((user) => user.level >= level).map(({ id }) => id))]
}

/**
 * The ids of teams by their names; those that do not read the code are left out. A repository of a user has no teams.
 * @throws Problem 422 a name is that of no team of the organization which the caller may know of
 */
export async function listedTeams(
  sql: Sql,
  caller: SignedInOnRepository,
  names: readonly string[],
): Promise<number[]> {
  const { subject, repo, me, is_member, is_owner } = caller
  if (subject.kind !== 'organization') return []
  const known = new Map((await teamsNamed(sql, repo.id, names)).map((team) => [team.key, team]))
  const teams = names.map((name) => {
    const team = known.get(name.toLowerCase())
    const isSeen = me.is_admin || is_owner || (is_member && team?.visibility !== 'private')
    if (team && (team.reads || isSeen)) return team
    throw unprocessable(`team does not exist [org_id ${subject.id}, team_id 0, name: ${name}]`)
  })
  return [...new Set(teams.filter(({ reads }) => reads).map(({ id }) => id))]
}
