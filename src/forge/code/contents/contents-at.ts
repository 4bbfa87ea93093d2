import { notFound } from '../../../http/route/problem.ts'
import { type Code, type CodeContext, openCode } from '../../repos/code.ts'
import { revisionNamed } from '../revision.ts'
import type { ContentsResponse } from './contents.shape.ts'
import { contentsOfEntry, contentsOfFolder, type Included, type RequestedRevision } from './contents-of.ts'

/**
 * A file or the entries of a folder by a path that is checked; no entries for the root of an empty repository.
 * @throws Problem 404, 503
 */
export async function contentsAt(
  context: CodeContext,
  { path, ref }: { path: string; ref: string },
  included: Included,
): Promise<ContentsResponse | ContentsResponse[]> {
  const code = await openCode(context)
  const requested = await requestedRevision(code, ref)
  if (!requested && path === '') return []
  const contents =
    requested &&
    ((await contentsOfFolder(requested, path, included)) ??
      (await contentsOfEntry(requested, path, included)))
  if (contents) return contents
  throw notFound(`object does not exist [id: , rel_path: ${path}]`)
}

/** The revision that a request names; undefined for the default branch of an empty repository. @throws Problem 404, 503 */
export async function requestedRevision(code: Code, ref: string): Promise<RequestedRevision | undefined> {
  const revision = await revisionNamed(code, ref)
  return revision && { code, revision, ref: ref || revision.ref }
}
