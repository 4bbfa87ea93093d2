import { type Selection, selectionOf } from '../../actions/run/api-status.ts'
import { badRequest } from '../../http/route/problem.ts'

/** The selection of the query parameter `status` of runs and jobs; undefined: everything. @throws Problem 400 */
export function selectionFrom(values: readonly string[] | undefined): Selection | undefined {
  if (!values) return undefined
  const selection = selectionOf(values)
  if ('unknown' in selection) throw badRequest(`invalid status ${selection.unknown}`)
  return selection
}
