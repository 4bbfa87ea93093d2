import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { unprocessable } from '../../http/route/problem.ts'
import type { Caller } from '../auth/caller.ts'
import type { ForgeContext } from '../route.ts'
import { printedParents } from './parents.ts'
import { printRepository, type Repository } from './repo.shape.ts'
import type { RepositoryFilter } from './repo-filter-store.ts'
import { type Listed, pageOfRepositories, REPOSITORY_SORTS, type RepositoryOrder } from './repo-list-store.ts'
import { readerOf } from './visibility.ts'

/** A page of the repositories that the caller may see. */
export async function listRepositories(
  { caller, query, sql, from }: ForgeContext<Caller, { query: Paging }>,
  filter: RepositoryFilter,
  order: RepositoryOrder,
): Promise<Page<Repository>> {
  const page = await pageOfRepositories(sql, readerOf(caller), filter, query, order)
  const parents = await printedParents(sql, caller, {
    rows: page.rows.map(({ row }) => row),
    host: from.host,
  })
  return mapPage(page, (listed) => printListed(listed, caller, from.host, parents.get(listed.row.parent_id)))
}

/** A repository of a list, as the caller sees it. */
export const printListed = (
  { row, owner, level }: Listed,
  { me }: Caller,
  host: string,
  parent?: Repository,
): Repository => printRepository(row, owner, { host, level, known: me !== undefined, parent })

/** The order that a query requests. @throws Problem 422 */
export function sortingOf({ sort, order }: { sort: string; order: string }): RepositoryOrder {
  const column = sort === '' ? 'alpha' : REPOSITORY_SORTS.find((each) => each === sort)
  if (!column) throw unprocessable(`Invalid sort mode: "${sort}"`)
  if (order !== '' && order !== 'asc' && order !== 'desc')
    throw unprocessable(`Invalid sort order: "${order}"`)
  return `${column} ${order || 'asc'}`
}

/** The kind of repositories that a query requests; there are no mirrors. @throws Problem 422 */
export function kindFilter({ mode, uid }: { mode: string; uid: number }): RepositoryFilter {
  if (mode === '') return {}
  if (mode === 'fork') return { fork: true }
  if (mode === 'source') return { fork: false }
  if (mode === 'mirror') return { mirror: true }
  if (mode === 'collaborative') return uid > 0 ? { notOwner: uid } : {}
  throw unprocessable(`Invalid search mode: "${mode}"`)
}
