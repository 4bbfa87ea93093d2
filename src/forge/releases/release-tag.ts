import { isBranchName } from '../../git/program/names.ts'
import { readCommitObject } from '../../git/repository/commit.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { createTag } from '../code/tag-changes.ts'
import type { RefRequest } from '../push/change-refs.ts'
import { type Code, commitOfTag, gitValue } from '../repos/code.ts'

/** The tag that a release is to have. */
interface TagDraft {
  name: string
  /** Where the server makes it if it is missing; "": at the default branch. */
  target: string
  /** The message of a new, annotated tag; "": a lightweight tag. */
  message: string
}

/** The tag of a release as git stores it. */
export interface ReleaseTag {
  /** Undefined if the tag has been deleted since. */
  commit: string | undefined
  isNew: boolean
  /** When the commit was made; undefined for a new tag, and for a commit without a time that can be read. */
  at: Date | undefined
}

/**
 * The tag of a release; makes it as a push does if it is missing.
 * @throws Problem 403 by a rule, 404 no such target, 409, 422 not a name, 503
 */
export async function ensureTag(context: RefRequest, code: Code, draft: TagDraft): Promise<ReleaseTag> {
  const { name } = draft
  if (!isBranchName(name)) throw unprocessable('[TagName]: GitRefName')
  const existing = await commitOfTag(code, name)
  if (existing === undefined) {
    await createTag(context, code, draft)
    return { commit: await commitOfTag(code, name), isNew: true, at: undefined }
  }
  const stored = gitValue(await readCommitObject(code, existing))
  const at = new Date(stored?.committer.at ?? '')
  return { commit: existing, isNew: false, at: Number.isNaN(at.getTime()) ? undefined : at }
}
