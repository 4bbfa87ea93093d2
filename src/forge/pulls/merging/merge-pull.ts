import type * as v from 'valibot'
import type { Tx } from '../../../db/sql.ts'
import type { GitOutcome } from '../../../git/program/outcome.ts'
import type { Signature } from '../../../git/repository/first-commit.ts'
import type { Made } from '../../../git/repository/merging/made.ts'
import type { RelatedPair } from '../../../git/repository/merging/relation.ts'
import {
  fastForward,
  mergeCommit,
  rebaseAndMerge,
  rebaseCommits,
  squashCommit,
} from '../../../git/repository/merging/ways.ts'
import { busy, conflict, found, notFound, Problem, unprocessable } from '../../../http/route/problem.ts'
import { accountById } from '../../accounts/account-store.ts'
import { signatureOf } from '../../accounts/commit-names.ts'
import { recordHappenings } from '../../issue-events/event-store.ts'
import { changeRefs, type RefRequest } from '../../push/change-refs.ts'
import {
  type Code,
  commitNamed,
  commitOfBranch,
  gitValue,
  isAncestor,
  openToWrite,
} from '../../repos/code.ts'
import { markIssueRead } from '../../watching/notification-store.ts'
import { compared } from '../comparison.ts'
import { openPullsFrom } from '../pull-store.ts'
import { openedIn } from '../pull-view.ts'
import { followHead } from '../pushed.ts'
import { type ClosingTools, closeMerged, maxMergeTime, repairMerge } from './completion.ts'
import type { MergePullRequestOption } from './merge.option.ts'
import { readDecisions, readMergeFacts, subjectOf } from './merge-facts.ts'
import { beginMerge, mergeUnderWay, type PullToMerge, pullToMerge } from './merge-store.ts'
import { messageFor } from './message-template.ts'
import { allowsStyle, type MergeStyle, wholeMessage } from './messages.ts'
import { canPass, type MergeFacts, type MergeRefusal, mergeRefusals, refusalsOfForced } from './refusals.ts'

type Input = v.InferOutput<typeof MergePullRequestOption>

/** A merge that is being decided and made. */
interface Merging {
  context: RefRequest
  code: Code
  pull: PullToMerge
  pair: RelatedPair
  style: MergeStyle
  body: Input
}

/**
 * Refuses a merge that no check and no approval can make possible; then it may wait for those.
 * @throws Problem as `mergePull`
 */
export async function requireMergeable(context: RefRequest, number: number, body: Input): Promise<void> {
  const code = await openToWrite(context)
  const merging = await prepare(context, code, number, body)
  const facts = await readMergeFacts(judgeOf(merging), subjectOf(merging.pull, merging.pair))
  refuse(refusalsIn(merging, facts).filter(({ kind }) => !canPass(kind)))
  if (body.head_commit_id !== '' && body.head_commit_id !== merging.pair.head)
    throw conflict('head out of date')
}

/**
 * Merges a pull request: makes the commit, announces it, moves the base branch as a push does, and closes the request. What
 * decides is read once before, and again while git holds the lock of the branch.
 * @throws Problem 404 no such open request; 405 with the reason of the original; 409 the head or the base branch has moved, or
 *   conflicts; 423 archived; 503
 */
export async function mergePull(context: RefRequest, number: number, body: Input): Promise<void> {
  const code = await openToWrite(context)
  const merging = await prepare(context, code, number, body)
  const facts = await readMergeFacts(judgeOf(merging), subjectOf(merging.pull, merging.pair))
  refuse(refusalsIn(merging, facts))
  if (body.head_commit_id !== '' && body.head_commit_id !== merging.pair.head)
    throw conflict('head out of date')
  if (merging.style === 'manually-merged') return recordMerge(merging)
  const made = madeBy(await makeCommit(merging), merging)
  await moveBase(merging, facts, made)
  await deleteHeadBranch(merging)
}

/** @throws Problem 404, 405, 503 */
async function prepare(context: RefRequest, code: Code, number: number, body: Input): Promise<Merging> {
  const { sql } = context
  if (code.row.settings.has_pull_requests === false) throw notFound()
  const before = found(await pullToMerge(sql, code.row.id, number))
  const [base, left, followed] = await Promise.all([
    commitOfBranch(code, before.base_branch),
    mergeUnderWay(sql, before.id),
    // A server that was killed may not have published a push to the head branch.
    followHead(context, before.id),
  ])
  const isLeft = left && Date.parse(left.begun_at) < context.now.getTime() - maxMergeTime
  if (isLeft) await repairMerge(repairOf({ context, code }), left)
  const isChanged = isLeft || followed?.head_commit !== before.head_commit
  const pull = isChanged ? found(await pullToMerge(sql, code.row.id, number)) : before
  if (base === undefined) throw notFound(`branch ${pull.base_branch} does not exist`)
  const style = body.Do as MergeStyle
  if (!allowsStyle(code.row, style))
    throw new Problem(405, `${style} is not an allowed merge style for this repository`)
  const [comparison] = await compared(openedIn(context, code.row), [{ base, head: pull.head_commit }])
  const pair = { base, head: pull.head_commit, mergeBase: comparison?.mergeBase }
  return { context, code, pull, pair, style, body }
}

const repairOf = ({ context, code }: Pick<Merging, 'context' | 'code'>) => ({
  sql: context.sql,
  begin: context.begin,
  repository: code,
  tools: closingTools(context),
})

const closingTools = ({ tools, from }: RefRequest): ClosingTools => ({
  gitService: tools.gitService,
  host: from.host,
})

const judgeOf = ({ context, code }: Merging) => ({
  sql: context.sql,
  code,
  at: openedIn(context, code.row),
  account: context.caller.me.id,
  level: context.caller.repo.level,
})

/** The reasons against a merge; a merge that people have made already needs no clean one. */
function refusalsIn({ body, style }: Merging, facts: MergeFacts): MergeRefusal[] {
  const refusals = body.force_merge ? refusalsOfForced(facts) : mergeRefusals(facts)
  const kinds: readonly MergeRefusal['kind'][] = ['merged', 'closed', 'not allowed']
  return style === 'manually-merged' ? refusals.filter(({ kind }) => kinds.includes(kind)) : refusals
}

/** @throws Problem 404, 405, 503 */
function refuse([first]: readonly MergeRefusal[]): void {
  if (first?.kind === 'too much') throw busy(first.sentence, 'the limits of git', 60)
  if (first) throw new Problem(first.kind === 'closed' ? 404 : 405, first.sentence)
}

/** @throws Problem 503 */
async function makeCommit(merging: Merging): Promise<GitOutcome<Made>> {
  const { context, code, pair, style } = merging
  const { repositories } = context.tools.gitService.forRequest(context.from)
  const target = { repositories, repository: code }
  const committer = signatureOf(context.caller.me, context)
  if (style === 'fast-forward-only') return fastForward(pair)
  if (style === 'rebase') return rebaseCommits(target, pair, committer)
  const message = await messageOf(merging)
  if (style === 'squash') {
    const author = await posterOf(merging, committer)
    return squashCommit(target, pair, { author, committer, message })
  }
  const make = style === 'rebase-merge' ? rebaseAndMerge : mergeCommit
  return make(target, pair, { author: committer, committer, message })
}

/** Who has opened the pull request, as the author of its squashed changes; otherwise the one who merges. */
async function posterOf({ context, pull }: Merging, otherwise: Signature): Promise<Signature> {
  const poster = pull.poster_id === null ? undefined : await accountById(context.sql, pull.poster_id)
  return poster ? signatureOf(poster, context) : otherwise
}

/** The message of the caller; without a title, that of the repository. @throws Problem 503 */
async function messageOf({ pull, code, body, style }: Merging): Promise<string> {
  const { MergeTitleField: title, MergeMessageField: text } = body
  if (title !== '') return wholeMessage({ title, body: text })
  const otherwise = await messageFor(code, style, pull)
  return wholeMessage({ title: otherwise.title, body: text || otherwise.body })
}

/** @throws Problem 405, 409, 503 */
function madeBy(outcome: GitOutcome<Made>, { pair }: Merging): Made & { kind: 'made' } {
  const made = gitValue(outcome)
  if (made.kind === 'conflict')
    throw conflict(`merge failed because of conflict: ${made.paths.slice(0, maxShown).join(', ')}`)
  if (made.kind === 'diverged') throw conflict('the base branch has commits that the head does not have')
  if (made.kind === 'too many') throw unprocessable(`at most ${made.most} commits can be rebased`)
  if (made.kind === 'unrelated' || made.commit === pair.base)
    throw new Problem(405, 'The head has nothing that the base branch does not have')
  return made
}

/** Maximum paths that a refusal names. */
const maxShown = 10

/** What is stored of a merge whose commit is made. */
const recordOf = ({ context, code, pull, pair, style }: Merging, commit: string) => ({
  issue_id: pull.id,
  repository_id: code.row.id,
  number: pull.number,
  base_branch: pull.base_branch,
  commit_id: commit,
  head_commit: pair.head,
  style,
  merger_id: context.caller.me.id,
})

/**
 * Announces the merge together with the push that moves the base branch; what publishes that push closes the request in the
 * same transaction.
 * @throws Problem 403 archived or moved meanwhile; 405, 409, 503
 */
async function moveBase(
  merging: Merging,
  facts: MergeFacts,
  { commit, written }: Made & { kind: 'made' },
): Promise<void> {
  const { context, code, pull, pair } = merging
  const merge = recordOf(merging, commit)
  let isAnnounced = false
  const announce: RefRequest['announce'] = async (tx) => {
    const [isBegun] = await Promise.all([beginMerge(tx, merge), markReadByMerger(tx, merge)])
    isAnnounced = isBegun
    if (!isAnnounced) throw new Problem(405, 'Please try again later')
  }
  let late: MergeRefusal | undefined
  const refusal: RefRequest['refusal'] = async ({ level }) => {
    late = await lateRefusal(merging, facts, level)
    return late?.sentence
  }
  try {
    const ref = `refs/heads/${pull.base_branch}`
    const moving = { ...context, refusal, announce, written }
    await changeRefs(moving, code.row, [{ ref, before: pair.base, after: commit }])
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    // Another merge of the same moment may have moved the branch to the same commit.
    if (isAnnounced && (await repairMerge(repairOf(merging), merge))) return
    if (late) refuse([late])
    throw error.status === 409 ? conflict('merge push out of date') : error
  }
}

/** The reason against the merge at the moment of the move. The base branch is locked, so that git need not be run again. */
async function lateRefusal(
  merging: Merging,
  facts: MergeFacts,
  level: number,
): Promise<MergeRefusal | undefined> {
  const { context, code, pair, pull } = merging
  const now = await pullToMerge(context.sql, code.row.id, pull.number)
  if (!now) return { kind: 'closed', sentence: 'The PR is closed' }
  if (now.head_commit !== pair.head) return { kind: 'conflict', sentence: 'head out of date' }
  const decided = await readDecisions({ ...judgeOf(merging), level }, subjectOf(now, pair))
  return refusalsIn(merging, { ...facts, ...decided })[0]
}

/** Records that somebody has merged by a push. @throws Problem 409 the commit is not on the base branch */
async function recordMerge(merging: Merging): Promise<void> {
  const { context, code, pull, pair, body } = merging
  const id = body.MergeCommitID
  const commit = id === '' ? undefined : await commitNamed(code, id)
  if (commit === undefined || !(await isAncestor(code, commit, pair.base)))
    throw conflict(`Wrong commit ID: ${id.slice(0, 64)} is not on ${pull.base_branch}`)
  const merge = recordOf(merging, commit)
  await context.begin(async (tx) => {
    await closeMerged(tx, closingTools(context), merge)
    await markReadByMerger(tx, merge)
  })
}

/** Who merges a pull request has read what is unread about it. */
const markReadByMerger = (tx: Tx, { issue_id: issue, merger_id: account }: ReturnType<typeof recordOf>) =>
  markIssueRead(tx, { account, issue })

/**
 * Deletes the head branch in the same repository, if the request or the repository says so; a rule may keep it, and so does
 * another pull request that proposes it.
 */
async function deleteHeadBranch({ context, code, pull, pair, body }: Merging): Promise<void> {
  const standing = code.row.settings.default_delete_branch_after_merge === true
  if (!(body.delete_branch_after_merge ?? standing) || pull.head_repository_id !== code.row.id) return
  if ((await openPullsFrom(context.sql, code.row.id, [pull.head_branch])).length > 0) return
  const ref = `refs/heads/${pull.head_branch}`
  const update = { ref, before: pair.head, after: '0'.repeat(pair.head.length) }
  try {
    await changeRefs(context, code.row, [update])
  } catch (error) {
    // The branch has moved or is protected; the merge is done.
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return
  }
  const by = { issue: pull.id, actor: context.caller.me.id }
  const deletion = { type: 'delete_branch', old_text: pull.head_branch } as const
  await context.begin((tx) => recordHappenings(tx, by, [deletion]))
}
