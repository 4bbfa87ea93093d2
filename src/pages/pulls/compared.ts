import { accountById } from '../../forge/accounts/account-store.ts'
import { type Sides, sidesNamed } from '../../forge/pulls/heads.ts'
import { type Code, type CodeContext, commitNamed, gitValue } from '../../forge/repos/code.ts'
import { mergeBaseOf } from '../../git/repository/merging/relation.ts'
import { withObjectsOf } from '../../git/repository/merging/shared-objects.ts'
import { found, Problem } from '../../http/route/problem.ts'

/** Two commits that a page compares. */
interface Compared {
  /** The code, with the commits of both. */
  code: Code
  before: string
  after: string
  /** The branches, if the second could be merged into the first. */
  sides: Sides | undefined
}

/** The names of an address: `base...head`, where the head may be `owner:branch`. No name contains two dots. */
export function namesIn(span: string): { base: string; head: string } {
  const [base = '', ...rest] = span.split('..')
  return { base, head: rest.join('..').replace(/^\./, '') }
}

/**
 * What an address compares: a branch with what it has in common with another one, also of a fork; other commits directly.
 * @throws Problem 404, 503
 */
export async function comparedIn(context: CodeContext, code: Code, span: string): Promise<Compared> {
  const { base, head } = namesIn(span)
  const sides = span.includes('...') ? await sidesOf(context, { base, head }) : undefined
  if (sides) {
    const both = await withHead(context, code, sides)
    const pair = { base: sides.base.commit, head: sides.head.commit }
    const mergeBase = gitValue(await mergeBaseOf(both, pair))
    if (mergeBase !== undefined) return { code: both, before: mergeBase, after: sides.head.commit, sides }
    return { code: both, before: sides.base.commit, after: sides.head.commit, sides: undefined }
  }
  const [before, after] = [await commitAt(code, base), await commitAt(code, head)]
  return { code, before, after, sides: undefined }
}

/** The branches; undefined: one of the names is no branch, but may be a tag or a commit. */
async function sidesOf(context: CodeContext, names: { base: string; head: string }) {
  try {
    return await sidesNamed(context, names)
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 422)) return undefined
    throw error
  }
}

/** The code, with the objects and under the address of the fork that has the head. */
async function withHead({ sql, from }: CodeContext, code: Code, { head }: Sides): Promise<Code> {
  if (head.row.id === code.row.id) return code
  const owner = found(await accountById(sql, head.row.owner_id))
  const { identity: _, version: __, ...known } = code
  return {
    ...known,
    ...withObjectsOf(code, head.repository),
    home: `${from.host}${owner.name}/${head.row.name}`,
  }
}

/** The commit that a name of an address leads to. @throws Problem 404, 503 */
export const commitAt = async (code: Code, name: string): Promise<string> =>
  found(await commitNamed(code, name))
