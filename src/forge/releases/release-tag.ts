import { isBranchName } from '../../git/program/names.ts'
import { readCommitObject } from '../../git/repository/commit.ts'
import { resolveRef } from '../../git/repository/revisions.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { type Code, gitValue } from '../code/code.ts'
import { createTag } from '../code/tag-changes.ts'
import type { RefRequest } from '../push/change-refs.ts'

/** The tag of a release. */
interface WantedTag {
  name: string
  /** Where it is made if it is missing; "": at the default branch. */
  target: string
  /** Makes a new one an annotated one; "": a light one. */
  message: string
}

/** The tag of a release as it is in git. */
export interface ReleaseTag {
  /** Undefined if it has been deleted meanwhile. */
  commit: string | undefined
  isNew: boolean
  /** When the commit was made; undefined for a new tag, and for a commit without a time that can be read. */
  at: Date | undefined
}

/**
 * The tag of a release, which is made as a push does if it is missing.
 * @throws Problem 403 by a rule, 404 no such target, 409, 422 not a name, 503
 */
export async function ensureTag(
  context: Omit<RefRequest, 'row'>,
  code: Code,
  wanted: WantedTag,
): Promise<ReleaseTag> {
  const { name } = wanted
  if (!isBranchName(name)) throw unprocessable('[TagName]: GitRefName')
  const existing = await commitOfTag(code, name)
  if (existing === undefined) {
    await createTag(context, code, wanted)
    return { commit: await commitOfTag(code, name), isNew: true, at: undefined }
  }
  const stored = gitValue(await readCommitObject(code, existing))
  const at = new Date(stored?.committer.at ?? '')
  return { commit: existing, isNew: false, at: Number.isNaN(at.getTime()) ? undefined : at }
}

/** The commit of a tag; undefined if there is none. @throws Problem 404, 503 */
export const commitOfTag = async (code: Code, name: string): Promise<string | undefined> =>
  gitValue(await resolveRef(code, `refs/tags/${name}`))
