import type { Sql, Tx } from '../../db/sql.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { numberIn } from '../protocol/query.ts'
import { lockMilestone, milestoneIdsNamed } from './milestone-store.ts'

/** The texts of the parameter `milestones`, between commas. */
export const milestoneNames = (given: string) => given.split(',').filter((name) => name !== '')

/**
 * The ids of the milestones of a repository that `milestones` of a query names: each text is a title or else an id.
 * Undefined: it names none, and does not filter. A text that no milestone has adds none.
 */
export async function milestonesNamed(
  sql: Sql,
  repository: number,
  given: string,
): Promise<number[] | undefined> {
  const names = milestoneNames(given)
  if (names.length === 0) return undefined
  const rows = await milestoneIdsNamed(sql, repository, { titles: names, ids: names.map(numberIn) })
  return names.flatMap((name) => {
    const titled = rows.filter(({ title }) => title === name)
    return (titled.length > 0 ? titled : rows.filter(({ id }) => id === numberIn(name))).map(({ id }) => id)
  })
}

/**
 * The id of the milestone that an issue is to have, null for 0, which means none. It cannot be deleted until the
 * transaction ends.
 * @throws Problem 422 the repository has no such milestone
 */
export async function chosenMilestone(tx: Tx, repository: number, id: number): Promise<number | null> {
  if (id === 0) return null
  if (await lockMilestone(tx, repository, id)) return id
  throw unprocessable(`milestone does not exist [id: ${id}]`)
}
