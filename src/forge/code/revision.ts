import { type Revision, resolveRef, revisionOf } from '../../git/repository/revisions.ts'
import { notFound } from '../../http/route/problem.ts'
import { type Code, gitValue } from './code.ts'

/**
 * What `ref` of a request leads to, as `revisionOf`; without one the default branch. Undefined for the default branch of
 * an empty repository.
 * @throws Problem 404, 503
 */
export async function revisionNamed(code: Code, revisionName: string): Promise<Revision | undefined> {
  if (revisionName === '') {
    const ref = code.row.default_branch
    const commit = gitValue(await resolveRef(code, `refs/heads/${ref}`))
    return commit === undefined ? undefined : { commit, ref, kind: 'branch' }
  }
  const revision = gitValue(await revisionOf(code, revisionName))
  if (revision) return revision
  throw notFound(`object does not exist [id: ${revisionName}, rel_path: ]`)
}
