import { commitOfId, type PathInCommit, resolveRef } from '../../git/repository/revisions.ts'
import { notFound } from '../../http/route/problem.ts'
import { type Code, gitValue } from './code.ts'

/** A commit, and how a request names it. */
export interface Revision extends Pick<PathInCommit, 'commit' | 'ref'> {
  kind: 'branch' | 'tag' | 'commit'
}

/**
 * What `ref` of a request leads to: a branch, a tag, or the id of a commit or its first digits, in this order; without
 * one the default branch. Undefined for the default branch of an empty repository.
 * @throws Problem 404, 503
 */
export async function revisionNamed(code: Code, asked: string): Promise<Revision | undefined> {
  const name = asked || code.row.default_branch
  const branch = gitValue(await resolveRef(code, `refs/heads/${name}`))
  if (branch !== undefined) return { commit: branch, ref: name, kind: 'branch' }
  if (asked === '') return undefined
  const tag = gitValue(await resolveRef(code, `refs/tags/${name}`))
  if (tag !== undefined) return { commit: tag, ref: name, kind: 'tag' }
  const commit = gitValue(await commitOfId(code, name))
  if (commit !== undefined) return { commit, ref: commit, kind: 'commit' }
  throw notFound(`object does not exist [id: ${asked}, rel_path: ]`)
}
