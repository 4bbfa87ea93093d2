import * as v from 'valibot'
import { type Selection, STATUS_FILTERS, selectionOf } from '../../actions/run/api-status.ts'
import { badRequest } from '../../http/route/problem.ts'
import { queryTexts } from '../protocol/query.ts'

/** The specification lists 400 for a status that there is not, where other words are 422. */
export const statusQuery = v.pipe(queryTexts, v.metadata({ items: { type: 'string', enum: STATUS_FILTERS } }))

/** The selection of the query parameter `status` of runs and jobs; undefined: everything. @throws Problem 400 */
export function selectionFrom(values: readonly string[]): Selection | undefined {
  const named = values.filter((value) => value !== '')
  if (named.length === 0) return undefined
  const selection = selectionOf(named)
  if ('unknown' in selection) throw badRequest(`invalid status ${selection.unknown}`)
  return selection
}
