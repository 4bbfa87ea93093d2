import { found, notFound } from '../../../http/route/problem.ts'
import { ReplyWith } from '../../../http/route/results.ts'
import { noBody } from '../../../http/route/sends.ts'
import { numberIn, onIssue, queryWord } from '../../protocol/query.ts'
import { route } from '../../route.ts'
import { merger, mergesSeen } from '../access.ts'
import { cancelScheduledMerge, scheduleMerge } from './auto-merge.ts'
import { MergePullRequestOption } from './merge.option.ts'
import { mergePull, requireMergeable } from './merge-pull.ts'
import { pullToMerge } from './merge-store.ts'
import { UPDATE_STYLES, updateHead } from './update-head.ts'

export const repoPullRequestIsMerged = route('GET /repos/{owner}/{repo}/pulls/{index}/merge', {
  summary: 'Whether a pull request is merged: 204, or 404',
  access: mergesSeen(),
  fails: [404],
  returns: noBody(204),
  handler: async ({ caller, sql, params }) => {
    const pull = found(await pullToMerge(sql, caller.repo.id, numberIn(params.index)))
    if (pull.merged_at === null) throw notFound()
  },
})

export const repoMergePullRequest = route('POST /repos/{owner}/{repo}/pulls/{index}/merge', {
  summary: 'Merge a pull request',
  access: merger(),
  body: MergePullRequestOption,
  fails: [403, 404, 405, 409, 422, 423, 503],
  returns: noBody(200),
  also: [201],
  runsGit: true,
  handler: async ({ params, body, ...context }) => {
    const number = numberIn(params.index)
    if (!body.merge_when_checks_succeed) return mergePull(context, number, body)
    await requireMergeable(context, number, body)
    await scheduleMerge(context, number, body)
    return new ReplyWith(undefined, { status: 201 })
  },
})

export const repoCancelScheduledAutoMerge = route('DELETE /repos/{owner}/{repo}/pulls/{index}/merge', {
  summary: 'Cancel the scheduled merge of a pull request',
  access: merger(),
  params: onIssue,
  fails: [403, 404],
  returns: noBody(204),
  handler: ({ params, ...context }) => cancelScheduledMerge(context, numberIn(params.index)),
})

export const repoUpdatePullRequest = route('POST /repos/{owner}/{repo}/pulls/{index}/update', {
  summary: 'Bring the changes of the base branch into the head branch of a pull request',
  access: merger(),
  query: { style: queryWord(...UPDATE_STYLES) },
  fails: [403, 404, 409, 422, 423, 503],
  returns: noBody(200),
  runsGit: true,
  handler: ({ params, query, ...context }) => {
    return updateHead(context, numberIn(params.index), query.style || undefined)
  },
})
