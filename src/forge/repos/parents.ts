import type { Sql } from '../../db/sql.ts'
import type { Caller } from '../auth/caller.ts'
import { printRepository, type Repository } from './repo.shape.ts'
import { listedByIds } from './repo-list-store.ts'
import type { Repository as Stored } from './repo-store.ts'
import { readerOf } from './visibility.ts'

/** The parents of forks among these repositories by id, as the caller sees them; without those that the caller may not see. */
export async function printedParents(
  sql: Sql,
  caller: Pick<Caller, 'me' | 'token'>,
  { rows, host }: { rows: readonly Pick<Stored, 'parent_id'>[]; host: string },
): Promise<Map<number | null, Repository>> {
  const ids = [...new Set(rows.flatMap(({ parent_id }) => parent_id ?? []))]
  if (ids.length === 0) return new Map()
  const parents = await listedByIds(sql, readerOf(caller), ids)
  const known = caller.me !== undefined
  return new Map(
    parents.map(({ row, owner, level }) => [row.id, printRepository(row, owner, { host, level, known })]),
  )
}
