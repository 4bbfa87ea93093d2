import { mapPage, type Page, type Paging } from '../../db/page.ts'
import type { Caller } from '../auth/caller.ts'
import type { ForgeContext } from '../route.ts'
import { printedParents } from './parents.ts'
import { printRepository, type Repository } from './repo.shape.ts'
import type { RepositoryFilter } from './repo-filter-store.ts'
import { type Listed, pageOfRepositories, type RepositoryOrder } from './repo-list-store.ts'
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

export const REPOSITORY_MODES = ['fork', 'source', 'mirror', 'collaborative'] as const

/** The kind of repositories that a query requests; there are no mirrors. */
export function kindFilter(mode: (typeof REPOSITORY_MODES)[number] | '', uid: number): RepositoryFilter {
  if (mode === 'fork') return { fork: true }
  if (mode === 'source') return { fork: false }
  if (mode === 'mirror') return { mirror: true }
  return mode === 'collaborative' && uid > 0 ? { notOwner: uid } : {}
}
