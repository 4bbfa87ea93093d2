import { type Code, type CodeContext, commitOfBranch, openCode } from '../../repos/code.ts'
import { commitsBetween } from '../comparison.ts'
import { openedIn } from '../pull-view.ts'
import { readMergeFacts, subjectOf } from './merge-facts.ts'
import { type PullToMerge, pullToMerge } from './merge-store.ts'
import { messageFor } from './message-template.ts'
import { allowsStyle, MERGE_STYLES, type MergeMessage, type MergeStyle } from './messages.ts'
import { type MergeFacts, type MergeRefusal, mergeRefusals, refusalsOfForced } from './refusals.ts'

/** A way of merging that a repository allows. */
interface AllowedStyle {
  style: MergeStyle
  /** Of the commit that it makes; undefined: it makes none with a message of its own. */
  message: MergeMessage | undefined
}

/** Whether and how a pull request may be merged by who asks. */
export interface MergeOutlook {
  facts: MergeFacts
  /** Number of commits of the base branch that the head lacks. */
  behind: number
  /** Why not; those that remain if the merge is forced. */
  refusals: readonly MergeRefusal[]
  refusalsOfForced: readonly MergeRefusal[]
  /** The usual one of the repository first; none for those who may not merge at all. */
  styles: readonly AllowedStyle[]
}

/**
 * What somebody learns before a merge; `level`: the access level to the code. Undefined: there is no such pull request, or its
 * base branch is gone.
 * @throws Problem 404, 503
 */
export async function mergeOutlook(
  context: CodeContext,
  number: number,
  level: number,
): Promise<MergeOutlook | undefined> {
  const { sql, caller } = context
  const code = await openCode(context)
  const pull = await pullToMerge(sql, code.row.id, number)
  const base = pull && (await commitOfBranch(code, pull.base_branch))
  if (!pull || base === undefined) return undefined
  const at = openedIn(context, code.row)
  const pair = { base, head: pull.head_commit }
  const judge = { sql, code, at, account: caller.me?.id, level }
  const facts = await readMergeFacts(judge, subjectOf(pull, pair))
  const { behind } = await commitsBetween(at, pair)
  const refusals = mergeRefusals(facts)
  const isAllowed = !refusals.some(
    ({ kind }) => kind === 'merged' || kind === 'closed' || kind === 'not allowed',
  )
  const styles = isAllowed && caller.me ? await stylesOf(code, pull) : []
  return { facts, behind, refusals, refusalsOfForced: refusalsOfForced(facts), styles }
}

/** Ways of merging that make a commit of their own. */
const withMessage: ReadonlySet<MergeStyle> = new Set(['merge', 'rebase-merge', 'squash'])

async function stylesOf(code: Code, pull: PullToMerge): Promise<AllowedStyle[]> {
  const usual = code.row.settings.default_merge_style ?? 'merge'
  const styles: AllowedStyle[] = []
  for (const style of MERGE_STYLES.filter((each) => allowsStyle(code.row, each)))
    styles.push({ style, message: withMessage.has(style) ? await messageFor(code, style, pull) : undefined })
  return styles.sort((one, other) => Number(other.style === usual) - Number(one.style === usual))
}
