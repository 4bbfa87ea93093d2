import { type Selection, selectionOf } from '../../actions/run/api-status.ts'
import { badRequest, unprocessable } from '../../http/route/problem.ts'

/** Query parameters that lists of runs and of jobs share. */

/** What the values of `status` select; undefined: everything. @throws Problem 400 */
export function selectionFrom(words: readonly string[] | undefined): Selection | undefined {
  if (!words) return undefined
  const selection = selectionOf(words)
  if ('unknown' in selection) throw badRequest(`invalid status ${selection.unknown}`)
  return selection
}

/** The sort order; `order` counts only with `sort`, but is validated before it. @throws Problem 422 */
export function orderFrom({ sort, order }: { sort: string; order: string }): 'asc' | 'desc' {
  if (sort === '') return 'asc'
  const direction = order || 'asc'
  if (direction !== 'asc' && direction !== 'desc') throw unprocessable(`Invalid sort order: "${order}"`)
  if (sort !== 'id') throw unprocessable(`Invalid sort mode: "${sort}"`)
  return direction
}
