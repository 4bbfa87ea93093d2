import { type Revision, revisionOf } from '../../git/repository/revisions.ts'
import { notFound } from '../../http/route/problem.ts'
import { type Code, commitOfBranch, gitValue } from '../repos/code.ts'

/**
 * The revision of the parameter `ref`, as `revisionOf`; if it is empty or `HEAD`, the default branch. Undefined for the default branch
 * of an empty repository.
 * @throws Problem 404, 503
 */
export async function revisionNamed(code: Code, ref: string): Promise<Revision | undefined> {
  if (ref === '' || ref === 'HEAD') {
    const branch = code.row.default_branch
    const commit = await commitOfBranch(code, branch)
    return commit === undefined ? undefined : { commit, ref: branch, kind: 'branch' }
  }
  const revision = gitValue(await revisionOf(code, ref))
  if (revision) return revision
  throw notFound(`object does not exist [id: ${ref}, rel_path: ]`)
}
