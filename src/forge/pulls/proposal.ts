import { found } from '../../http/route/problem.ts'
import { numberIn } from '../protocol/query.ts'
import { type Code, type CodeContext, commitOfBranch, openCode } from '../repos/code.ts'
import { type ComparedIn, compared } from './comparison.ts'
import { pullByNumber, type StoredPull } from './pull-store.ts'
import { openedIn } from './pull-view.ts'

/** The commits between which a pull request changes files. */
interface Span {
  /** The best common ancestor of base and head. */
  base: string
  head: string
}

/** The pull request of a path, ready to be read. @throws Problem 404 also if its histories have no common ancestor, 503 */
export async function proposalIn(
  context: CodeContext,
  index: string,
): Promise<{ code: Code; pull: StoredPull; span: Span }> {
  const { caller, sql } = context
  const pull = found(await pullByNumber(sql, caller.repo.id, numberIn(index)))
  const code = await openCode(context)
  const base = await mergeBaseNow(openedIn(context, code.row), code, pull)
  return { code, pull, span: { base: found(base || undefined), head: pull.head_commit } }
}

async function mergeBaseNow(at: ComparedIn, code: Code, pull: StoredPull): Promise<string> {
  if (pull.merged_at !== null) return pull.merge_base
  const base = await commitOfBranch(code, pull.base_branch)
  if (base === undefined) return pull.merge_base
  const [comparison] = await compared(at, [{ base, head: pull.head_commit }])
  return comparison?.mergeBase ?? ''
}
