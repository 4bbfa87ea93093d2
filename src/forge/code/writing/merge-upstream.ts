import type * as v from 'valibot'
import { copyCommits } from '../../../git/repository/merging/copy-commits.ts'
import { relationOf } from '../../../git/repository/merging/relation.ts'
import { mergeCommit } from '../../../git/repository/merging/ways.ts'
import { resolveRef } from '../../../git/repository/revisions.ts'
import { badRequest, conflict, forbidden, found, notFound } from '../../../http/route/problem.ts'
import { json } from '../../../http/route/sends.ts'
import { signatureOf } from '../../accounts/commit-names.ts'
import { changeRefs, type RefRequest } from '../../push/change-refs.ts'
import { codeWritten } from '../../repos/access.ts'
import { type Code, commitOfBranch, gitValue, openToWrite } from '../../repos/code.ts'
import { type Listed, listedByIds } from '../../repos/repo-list-store.ts'
import { folderOf } from '../../repos/repo-store.ts'
import { readerOf } from '../../repos/visibility.ts'
import { route } from '../../route.ts'
import { MergeUpstreamRequest } from './merge-upstream.option.ts'
import { MergeUpstreamResponse } from './merge-upstream.shape.ts'

type MergeType = v.InferOutput<typeof MergeUpstreamResponse>['merge_type']

export const repoMergeUpstream = route('POST /repos/{owner}/{repo}/merge-upstream', {
  summary: 'Bring the changes of a branch of the parent into the branch of the same name of a fork',
  access: codeWritten(),
  body: MergeUpstreamRequest,
  fails: [400, 403, 404, 409, 423, 503],
  returns: json(200, MergeUpstreamResponse),
  runsGit: true,
  handler: async ({ body, ...context }) => {
    const code = await openToWrite(context)
    const parent = await parentOf(context, code)
    const branch = body.branch || code.row.default_branch
    const base = found(await commitOfBranch(code, branch), 'branch not found')
    const { head, upstream } = await upstreamBranch(context, parent, branch)
    gitValue(await copyCommits(upstream, code, { commit: head, known: [base] }))
    const commit = await commitFor(context, code, { base, head, branch, parent, isForwardOnly: body.ff_only })
    const update = { ref: `refs/heads/${branch}`, before: base, after: commit.id }
    if (commit.type !== 'up-to-date') await changeRefs({ ...context, written: 'unknown' }, code.row, [update])
    return { merge_type: commit.type }
  },
})

/** @throws Problem 400 the repository is no fork; 403 the caller may not read the code of its parent */
async function parentOf({ sql, caller }: RefRequest, { row }: Code): Promise<Listed> {
  if (row.parent_id === null) throw badRequest('repo is not a fork')
  const [parent] = await listedByIds(sql, readerOf(caller), [row.parent_id], 'repo.code')
  if (!parent || parent.row.settings.has_code === false)
    throw forbidden('you may not read the repository of which this one is a fork')
  return parent
}

/** @throws Problem 404, 503 */
async function upstreamBranch({ tools, from }: RefRequest, { row }: Listed, branch: string) {
  const { repositories } = tools.gitService.forRequest(from)
  const upstream = found(repositories.open(folderOf(row)))
  const head = gitValue(await resolveRef(upstream, `refs/heads/${branch}`))
  if (head === undefined) throw notFound('branch not found')
  return { upstream, head }
}

/**
 * The commit to which the branch of the fork is to move.
 * @throws Problem 400 it would need a merge; 409 conflicts; 503
 */
async function commitFor(
  context: RefRequest,
  code: Code,
  facts: { base: string; head: string; branch: string; parent: Listed; isForwardOnly: boolean },
): Promise<{ type: MergeType; id: string }> {
  const { base, head, branch, parent, isForwardOnly } = facts
  const { mergeBase, ahead, behind } = gitValue(await relationOf(code, { base, head }))
  if (ahead === 0) return { type: 'up-to-date', id: base }
  if (behind === 0) return { type: 'fast-forward', id: head }
  if (isForwardOnly) throw badRequest('fast-forward merge not possible: branch has diverged')
  const signature = signatureOf(context.caller.me, context)
  const message = `Merge branch '${branch}' of ${parent.owner.name}/${parent.row.name}`
  const { repositories } = context.tools.gitService.forRequest(context.from)
  const text = { author: signature, committer: signature, message }
  const target = { repositories, repository: code }
  const made = gitValue(await mergeCommit(target, { base, head, mergeBase }, text))
  if (made.kind === 'made') return { type: 'merge', id: made.commit }
  const paths = made.kind === 'conflict' ? `: ${made.paths.slice(0, maxShown).join(', ')}` : ''
  throw conflict(`merge failed because of conflict${paths}`)
}

/** Maximum paths that a refusal names. */
const maxShown = 10
