import { type Revision, resolveRef, revisionOf } from '../../git/repository/revisions.ts'
import { notFound } from '../../http/route/problem.ts'
import { type Code, gitValue } from './code.ts'

/**
 * What `ref` of a request leads to, as `revisionOf`; without one the default branch. Undefined for the default branch of
 * an empty repository.
 * @throws Problem 404, 503
 */
export async function revisionNamed(code: Code, asked: string): Promise<Revision | undefined> {
  if (asked === '') {
    const ref = code.row.default_branch
    const commit = gitValue(await resolveRef(code, `refs/heads/${ref}`))
    return commit === undefined ? undefined : { commit, ref, kind: 'branch' }
  }
  const revision = gitValue(await revisionOf(code, asked))
  if (revision) return revision
  throw notFound(`object does not exist [id: ${asked}, rel_path: ]`)
}
