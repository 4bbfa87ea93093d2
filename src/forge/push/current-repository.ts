import type { Sql } from '../../db/sql.ts'
import { found, Problem, unavailable } from '../../http/route/problem.ts'
import type { OnRepository } from '../repos/access.ts'
import { folderOf, type Repository, repositoryById } from '../repos/repo-store.ts'
import type { ForgeTools } from '../route.ts'

/** A request of a git client that is authorized, and the repository that it is about. */
export interface GitRequest {
  sql: Sql
  tools: ForgeTools
  authorizeAgain: () => Promise<OnRepository>
  row: Repository
}

export const pathOf = ({ gitService }: ForgeTools, row: Repository) =>
  found(gitService.repositories.path(folderOf(row)))

/**
 * Authorizes a request that has waited, and checks that its address still leads to the same repository.
 * @throws Problem as the access check; 503 if the address leads to another repository, or to another directory
 */
export async function requireCurrent(request: GitRequest): Promise<void> {
  const { row } = await current(request)
  const { tools } = request
  if (row.id !== request.row.id || pathOf(tools, row) !== pathOf(tools, request.row)) throw hasMoved()
}

/**
 * Why the refs of a push must not move now; undefined if they may. `last` decides if nothing else prevents it, with the
 * current row of the repository and the current access level of the caller.
 * @throws Problem 503, or an error of the database, if that cannot be found out now
 */
export async function refusalOfMove(
  request: GitRequest,
  last: (now: { row: Repository; level: number }) => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    const { row, level } = await current(request)
    if (row.id !== request.row.id) return hasMoved().message
    return row.is_archived ? ARCHIVED : await last({ row, level })
  } catch (error) {
    // An outage is no refusal.
    if (error instanceof Problem && error.status < 500) return withdrawn(error)
    throw error
  }
}

/** The message that git prints on a push to an archived repository. */
export const ARCHIVED = 'this repository is archived and can only be read'

async function current({ sql, authorizeAgain }: GitRequest): Promise<{ row: Repository; level: number }> {
  const { repo } = await authorizeAgain()
  return { row: found(await repositoryById(sql, repo.id)), level: repo.level }
}

const hasMoved = () => unavailable('the repository has moved; try again')

const withdrawn = ({ status }: Problem) =>
  status === 307 ? hasMoved().message : 'you may not push to this repository any more'
