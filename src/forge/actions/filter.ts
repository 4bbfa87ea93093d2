import { type Selection, selectionOf } from '../../actions/run/status-words.ts'
import { badRequest, unprocessable } from '../../http/route/problem.ts'
import { isPublicOnly, type OnSubject, type SignedIn } from '../auth/access.ts'
import type { Reach } from './list-scope.ts'

/** What the queries of runs and jobs have in common. */

/** What `status`, given once or more often, selects; undefined: everything. @throws Problem 400 */
export function selectionIn(words: readonly string[] | undefined): Selection | undefined {
  if (!words) return undefined
  const selection = selectionOf(words)
  if ('unknown' in selection) throw badRequest(`invalid status ${selection.unknown}`)
  return selection
}

/** The order is looked at only where there is a sort, and judged before it. @throws Problem 422 */
export function orderIn({ sort, order }: { sort: string; order: string }): 'asc' | 'desc' {
  if (sort === '') return 'asc'
  const wanted = order || 'asc'
  if (wanted !== 'asc' && wanted !== 'desc') throw unprocessable(`Invalid sort order: "${order}"`)
  if (sort !== 'id') throw unprocessable(`Invalid sort mode: "${sort}"`)
  return wanted
}

/** What an organization owns, as one of its members sees it. */
export function reachOfOrg({ me, subject, token }: SignedIn & OnSubject): Reach {
  return { owner: subject.id, reader: me.is_admin ? null : me.id, publicOnly: isPublicOnly({ token }) }
}

/** What the user who asks owns. */
export function ownReach({ me }: SignedIn): Reach {
  return { owner: me.id, reader: null, publicOnly: false }
}
