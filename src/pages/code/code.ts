import type { Sql } from '../../db/sql.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { problemOf } from '../../forge/repos/git-service.ts'
import { folderOf, type Repository, repositoryById } from '../../forge/repos/repo-store.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import type { GitOutcome } from '../../git/program/outcome.ts'
import { commitOfId, divideRefPath, type PathInCommit } from '../../git/repository/revisions.ts'
import { found, notFound } from '../../http/route/problem.ts'
import type { Origin } from '../../http/server/origin.ts'
import { type Html, timeOf } from '../html.ts'
import type { PageTools } from '../route.ts'

/** The parameters of paths to a place in the code: `branch`, `tag` or `commit`, and the rest (`placeIn`). */

/** What the pages of code need of a request. */
export interface CodeContext {
  caller: OnRepository
  sql: Sql
  tools: PageTools
  from: Pick<Origin, 'host' | 'id' | 'gone' | 'address'>
}

/** The code of a repository, ready to be read. */
export interface Code extends OpenRepository {
  row: Repository
  /** `owner/name` as it is spelled. */
  path: string
  /** The address of its page. */
  home: string
}

/** @throws Problem 404 */
export async function openCode({ caller, sql, tools, from }: CodeContext): Promise<Code> {
  const { repositories } = tools.gitService.forReader(from)
  const row = found(await repositoryById(sql, caller.repo.id))
  const path = `${caller.repo.owner.name}/${row.name}`
  return { ...found(repositories.open(folderOf(row))), row, path, home: from.host + path }
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
 * What `branch`, `tag` or `commit` and the rest of an address lead to; the path in it is not checked.
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
  const commit = found(gitValue(await commitOfId(code, id)))
  return { commit, ref: commit.slice(0, 10), path: segments.join('/'), name: `commit/${commit}` }
}

/** The time of a commit, which its author chooses; undefined for one that is no time. */
export function timeOfCommit(at: string): Html | undefined {
  const milliseconds = Date.parse(at)
  return Number.isNaN(milliseconds) ? undefined : timeOf(new Date(milliseconds).toISOString())
}
