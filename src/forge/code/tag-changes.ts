import { isBranchName, zeroIdOf } from '../../git/program/names.ts'
import { newestRefs } from '../../git/repository/cache/newest-refs.ts'
import { objectOfRef } from '../../git/repository/revisions.ts'
import { writeTagObject } from '../../git/repository/tag.ts'
import { conflict, found, unprocessable } from '../../http/route/problem.ts'
import { signatureOf } from '../accounts/commit-names.ts'
import { changeRefs, type RefRequest } from '../push/change-refs.ts'
import { type Code, commitNamed, gitValue } from '../repos/code.ts'
import { maxTags } from './tag-list.ts'

/** A new tag. */
interface TagDraft {
  name: string
  /** Branch, tag or commit; empty: the default branch. */
  target: string
  /** Empty: a lightweight tag. */
  message: string
}

/**
 * Creates a tag as a push does (`changeRefs`), an annotated one in the name of the caller; returns the id of the object
 * that it points to.
 * @throws Problem 403 by a rule, 404 no such target, 409 there is such a tag, 422 not a name, 503
 */
export async function createTag(
  context: RefRequest,
  code: Code,
  { name, target, message }: TagDraft,
): Promise<string> {
  if (!isBranchName(name)) throw unprocessable('[TagName]: GitRefName')
  const start = target || code.row.default_branch
  const commit = found(await commitNamed(code, start), `target not found: ${start}`)
  await requireFree(code, name)
  const tagger = signatureOf(context.caller.me, context)
  const { id: after, written } =
    message === ''
      ? { id: commit, written: 0 }
      : gitValue(await writeTagObject(code, { name, commit, tagger, message }))
  const update = { ref: `refs/tags/${name}`, before: zeroIdOf(after), after }
  await changeRefs({ ...context, written }, code.row, [update])
  return after
}

/** @throws Problem 403 by a rule, 404 there is no such tag, 409 it has been changed meanwhile, 503 */
export async function deleteTag(context: RefRequest, code: Code, name: string): Promise<void> {
  const ref = `refs/tags/${name}`
  const before = found(gitValue(await objectOfRef(code, ref)))
  await changeRefs(context, code.row, [{ ref, before, after: zeroIdOf(before) }])
}

/** @throws Problem 409 a tag has this name, or one of two tags would be a folder of the other */
async function requireFree(code: Code, name: string): Promise<void> {
  const tags = gitValue(await newestRefs(code, 'tags', maxTags))
  if (tags.some((tag) => tag.name === name)) throw conflict(`tag already exists [name: ${name}]`)
  const blocking = tags.find((tag) => tag.name.startsWith(`${name}/`) || name.startsWith(`${tag.name}/`))
  if (blocking) throw conflict(`the tag ${blocking.name} is in the way`)
}
