import { isTransaction, type Sql } from '../../db/sql.ts'
import { isObjectId } from '../../git/program/names.ts'
import type { GitOutcome } from '../../git/program/outcome.ts'
import type { KnownRepository } from '../../git/repository/cache/objects.ts'
import type { Repositories } from '../../git/repository/repositories.ts'
import {
  commitOfId,
  divideRefPath,
  type PathInCommit,
  resolveRef,
  revisionOf,
} from '../../git/repository/revisions.ts'
import { found, notFound, Problem } from '../../http/route/problem.ts'
import type { Origin } from '../../http/server/origin.ts'
import { problemOf } from '../git-service.ts'
import type { ForgeTools } from '../route.ts'
import type { OnRepository } from './access.ts'
import { folderOf, type Repository, repositoryById } from './repo-store.ts'

/** The members of a request that reading the code needs. */
export interface CodeContext {
  caller: OnRepository
  sql: Sql
  tools: ForgeTools
  from: Pick<Origin, 'host' | 'id' | 'gone' | 'address'>
}

/** The code of a repository, ready to be read. */
export interface Code extends KnownRepository {
  row: Repository
  /** `owner/name` as it is spelled. */
  path: string
  /** The address of its page. */
  home: string
  /** Its address in the API. */
  api: string
}

/** The code that a request reads; the work ends when no client waits for its answer. @throws Problem 404 */
export async function openCode(context: CodeContext): Promise<Code> {
  const { caller, sql } = context
  return openOther(context, found(await repositoryById(sql, caller.repo.id)), caller.repo.owner.name)
}

/** The code of a repository that a request reads besides its own. @throws Problem 404 */
export function openOther(
  { sql, tools, from }: Pick<CodeContext, 'sql' | 'tools' | 'from'>,
  row: Repository,
  owner: string,
): Code {
  refuseInTransaction(sql)
  const { repositories } = tools.gitService.forReader(from)
  return codeOf(repositories, { from, row, owner })
}

/**
 * The code that a request changes; the work continues when the client leaves.
 * @throws Problem 404, 423 the repository is archived
 */
export async function openToWrite({ caller, sql, tools, from }: CodeContext): Promise<Code> {
  refuseInTransaction(sql)
  const { repositories } = tools.gitService.forRequest(from)
  const row = found(await repositoryById(sql, caller.repo.id))
  if (row.is_archived) throw new Problem(423, 'repo is archived')
  return codeOf(repositories, { from, row, owner: caller.repo.owner.name })
}

/**
 * Whoever waits for git must not hold a connection meanwhile: git may wait for one, to decide whether refs may move.
 * @throws Error the operation must be declared with `runsGit`
 */
function refuseInTransaction(sql: Sql): void {
  if (isTransaction(sql)) throw new Error('an operation runs git inside of a transaction')
}

function codeOf(
  repositories: Repositories,
  { from, row, owner }: Pick<CodeContext, 'from'> & { row: Repository; owner: string },
): Code {
  const path = `${owner}/${row.name}`
  const open = found(repositories.open(folderOf(row)))
  return {
    ...open,
    identity: `${open.directory} ${row.id}`,
    version: String(row.updated_at),
    row,
    path,
    home: from.host + path,
    api: `${from.host}api/v1/repos/${path}`,
  }
}

/**
 * The commit that a branch, a tag, a full name of one, or an id or its first digits lead to, in this order, or `HEAD`: that of
 * the default branch; undefined if there is none.
 * @throws Problem 404, 503
 */
export const commitNamed = async (code: Code, name: string): Promise<string | undefined> =>
  name === 'HEAD'
    ? commitOfBranch(code, code.row.default_branch)
    : gitValue(await revisionOf(code, name))?.commit

/**
 * The commit that git takes for a name (gitrevisions(7)): a tag comes before a branch, and an id before both. Otherwise as
 * `commitNamed`.
 */
export const commitOfRevision = async (code: Code, name: string): Promise<string | undefined> =>
  (isObjectId(name) ? undefined : await commitOfTag(code, name)) ?? commitNamed(code, name)

/** The commit that a branch points to; undefined if there is none. @throws Problem 404, 503 */
export const commitOfBranch = async (code: Code, name: string): Promise<string | undefined> =>
  gitValue(await resolveRef(code, `refs/heads/${name}`))

/** The commit that a tag leads to, likewise. */
export const commitOfTag = async (code: Code, name: string): Promise<string | undefined> =>
  gitValue(await resolveRef(code, `refs/tags/${name}`))

/** Whether one commit is reachable from another. @throws Problem 404, 503 */
export async function isAncestor(code: Code, ancestor: string, commit: string): Promise<boolean> {
  const args = ['rev-list', '--count', '--max-count=1', ancestor, `^${commit}`, '--']
  const count = gitValue(await code.git.run(code.directory, args))
  return count.toString('latin1').trim() === '0'
}

/** @throws Problem 404 no such repository on disk, 503 git is busy */
export function gitValue<Value>(outcome: GitOutcome<Value>): Value {
  if (outcome.ok) return outcome.value
  throw problemOf(outcome.fault)
}

/** A path in the code, and how addresses name its commit. */
export interface Place extends PathInCommit {
  /** `branch/main`, `tag/v1`, `commit/0123…`: not escaped. */
  name: string
}

/**
 * The place of an address: `branch`, `tag` or `commit` (an id, or `HEAD`), and the rest. Does not check the path in it.
 * @throws Problem 404
 */
export async function placeIn(code: Code, kind: string, rest: string): Promise<Place> {
  if (kind === 'branch' || kind === 'tag') {
    const refs = kind === 'branch' ? 'heads' : 'tags'
    const place = found(gitValue(await divideRefPath(code, refs, rest)))
    return { ...place, name: `${kind}/${place.ref}` }
  }
  if (kind !== 'commit') throw notFound()
  const [id = '', ...segments] = rest.split('/')
  const commit = found(id === 'HEAD' ? await commitNamed(code, id) : gitValue(await commitOfId(code, id)))
  return { commit, ref: commit.slice(0, 10), path: segments.join('/'), name: `commit/${commit}` }
}
