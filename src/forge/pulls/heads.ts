import type { OpenRepository } from '../../git/program/git.ts'
import { isBranchName } from '../../git/program/names.ts'
import { resolveRef, revisionOf } from '../../git/repository/revisions.ts'
import { found, notFound, type Problem, unprocessable } from '../../http/route/problem.ts'
import { nameKey } from '../accounts/account-store.ts'
import { type CodeContext, gitValue } from '../repos/code.ts'
import { folderOf, type Repository, repositoryById } from '../repos/repo-store.ts'
import { readerOf } from '../repos/visibility.ts'
import { headNamed } from './head-store.ts'

/** A branch that is proposed, or the one into which it is to be merged. */
interface Side {
  row: Repository
  /** Short. */
  branch: string
  commit: string
  repository: OpenRepository
}

/** Both sides of a pull request. */
export interface Sides {
  base: Side
  head: Side
}

/**
 * The branches of a pull request by the names that a client uses: `branch`, `owner:branch` and `owner/repo:branch` for the
 * head. A repository that the caller may not read is answered like one that does not exist.
 * @throws Problem 404, 422 it is no branch, 503
 */
export async function sidesNamed(
  context: CodeContext,
  { base, head }: { base: string; head: string },
): Promise<Sides> {
  const row = found(await repositoryById(context.sql, context.caller.repo.id))
  return { base: await sideOf(context, row, base), head: await headSide(context, row, head) }
}

/** The base of a pull request. @throws Problem 404, 422 it is no branch, 503 */
export async function baseNamed(context: CodeContext, branch: string): Promise<Side> {
  return sideOf(context, found(await repositoryById(context.sql, context.caller.repo.id)), branch)
}

async function headSide(context: CodeContext, base: Repository, head: string): Promise<Side> {
  const { row, branch } = await headRepository(context, base, head)
  return sideOf(context, row, branch)
}

/** The repository that the name of a head means, with the name of its owner, and the branch. @throws Problem 404 */
export async function headRepository(
  { caller, sql }: Pick<CodeContext, 'caller' | 'sql'>,
  base: Repository,
  head: string,
): Promise<{ row: Repository; owner: string; branch: string }> {
  const colon = head.indexOf(':')
  if (colon < 0) return { row: base, owner: caller.repo.owner.name, branch: head }
  const [ownerName = '', ...rest] = head.slice(0, colon).split('/')
  const owner = nameKey(ownerName)
  if (owner === undefined || rest.length > 1) throw notFound()
  const name = { owner, repo: rest[0]?.toLowerCase() }
  const row = found(await headNamed(sql, { base, reader: readerOf(caller) }, name))
  return { row, owner: row.owner_name, branch: head.slice(colon + 1) }
}

async function sideOf({ tools, from }: CodeContext, row: Repository, branch: string): Promise<Side> {
  const { repositories } = tools.gitService.forRequest(from)
  const repository = found(repositories.open(folderOf(row)))
  const commit = isBranchName(branch) && gitValue(await resolveRef(repository, `refs/heads/${branch}`))
  if (!commit) throw await noBranch(repository, branch)
  return { row, branch, commit, repository }
}

/** A tag or a commit moves nowhere: it is no side of a pull request. @throws Problem 503 */
async function noBranch(repository: OpenRepository, name: string): Promise<Problem> {
  if (gitValue(await revisionOf(repository, name)) === undefined)
    return notFound(`ref "${name}" does not exist`)
  return unprocessable('Invalid PullRequest: base and head must be branches')
}
