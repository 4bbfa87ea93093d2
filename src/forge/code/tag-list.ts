import { readCommitObject } from '../../git/repository/commit.ts'
import { readTagObject } from '../../git/repository/tag.ts'
import { type Code, gitValue } from '../repos/code.ts'
import { printTag, type Tag } from './tag.shape.ts'

/** Maximum tags that are listed. */
export const maxTags = 1_000_000

/** A tag by its short name, and the object that it points to: a commit, or an annotated tag. */
interface NamedObject {
  name: string
  id: string
}

/** Tags as the API shows them, without those that lead to no commit. @throws Problem 404, 503 */
export async function printTags(code: Code, tags: readonly NamedObject[]): Promise<Tag[]> {
  const printed = await Promise.all(
    tags.map(async ({ name, id }) => {
      const commit = gitValue(await readCommitObject(code, id))
      if (!commit) return []
      const annotated = commit.id === id ? undefined : gitValue(await readTagObject(code, id))
      return [printTag(code, { name, commit, annotated })]
    }),
  )
  return printed.flat()
}
