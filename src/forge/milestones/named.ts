import type { Sql, Tx } from '../../db/sql.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { numberIn } from '../protocol/query.ts'
import { lockMilestone, milestoneIdsNamed } from './milestone-store.ts'

/** The names in the parameter `milestones`, separated by commas. */
export const milestoneNames = (list: string) => list.split(',').filter((name) => name !== '')

/**
 * The ids of the milestones of a repository that the parameter `milestones` names, by title or else by id. Ignores unknown
 * names. Undefined: the list is empty, so it does not filter.
 */
export async function milestonesNamed(
  sql: Sql,
  repository: number,
  list: string,
): Promise<number[] | undefined> {
  const names = milestoneNames(list)
  if (names.length === 0) return undefined
  const rows = await milestoneIdsNamed(sql, repository, { titles: names, ids: names.map(numberIn) })
  return names.flatMap((name) => {
    const titled = rows.filter(({ title }) => title === name)
    return (titled.length > 0 ? titled : rows.filter(({ id }) => id === numberIn(name))).map(({ id }) => id)
  })
}

/**
 * The id of the milestone for an issue; null for 0, which means none. Locks the milestone against deletion until the
 * transaction ends.
 * @throws Problem 422 the repository has no such milestone
 */
export async function chosenMilestone(tx: Tx, repository: number, id: number): Promise<number | null> {
  if (id === 0) return null
  if (await lockMilestone(tx, repository, id)) return id
  throw unprocessable(`milestone does not exist [id: ${id}]`)
}
