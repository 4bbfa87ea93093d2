import type { Tx } from '../../db/sql.ts'
import { found, Problem } from '../../http/route/problem.ts'
import { lockRepository, type Repository } from '../repos/repo-store.ts'

/**
 * Locks a repository until the transaction ends, to change its rules.
 * @throws Problem 404 gone, 423 archived
 */
export async function lockToProtect(tx: Tx, repository: number): Promise<Repository> {
  const row = found(await lockRepository(tx, repository))
  if (row.is_archived) throw new Problem(423, 'repo is archived')
  return row
}
