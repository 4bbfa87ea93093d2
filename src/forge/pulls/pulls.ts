import * as v from 'valibot'
import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { json, paged } from '../../http/route/sends.ts'
import { accountByName } from '../accounts/account-store.ts'
import { pinnedIssues } from '../issues/pin-store.ts'
import { numberIn, onIssue, queryIds, queryInteger, queryTrimmed, queryWord } from '../protocol/query.ts'
import { repositoryById } from '../repos/repo-store.ts'
import { route } from '../route.ts'
import { pullAuthor, pullsSeen } from './access.ts'
import { createPull } from './creation.ts'
import { editPull } from './editing.ts'
import { headRepository } from './heads.ts'
import { CreatePullRequestOption, EditPullRequestOption } from './pull.option.ts'
import { PullRequest } from './pull.shape.ts'
import {
  PULL_ORDERS,
  pageOfPulls,
  pullByNumber,
  pullOfMergedCommit,
  pullOfPair,
  pullsByIds,
} from './pull-store.ts'
import { printedPull, printedPulls } from './pull-view.ts'

/**
 * Pull requests. What a reader learns of other repositories, such as private forks, depends on who the reader is and on
 * whether the token is limited to public resources, which are both in the key of a shared read.
 */

const reading = { access: pullsSeen(), fails: [404], shared: 'until written' } as const

export const repoListPullRequests = route('GET /repos/{owner}/{repo}/pulls', {
  ...reading,
  summary: 'Pull requests of a repository, filtered, newest first',
  query: {
    state: queryWord('open', 'closed', 'all'),
    sort: queryWord(...PULL_ORDERS),
    milestone: queryInteger,
    labels: queryIds,
    poster: queryTrimmed,
    base_branch: queryTrimmed,
    ...pageQuery(),
  },
  returns: paged(PullRequest),
  handler: async (context) => {
    const { caller, query, sql } = context
    const { state, sort, poster, milestone } = query
    const account = poster === '' ? undefined : found(await accountByName(sql, poster))
    const filter = {
      repository: caller.repo.id,
      state: state || 'all',
      base_branch: query.base_branch || undefined,
      poster: account?.id,
      milestone: milestone || undefined,
      labels: query.labels,
    }
    const page = await pageOfPulls(sql, filter, sort || 'newest', query)
    return { ...page, rows: await printedPulls(context, page.rows) }
  },
})

export const repoListPinnedPullRequests = route('GET /repos/{owner}/{repo}/pulls/pinned', {
  ...reading,
  summary: 'Pinned pull requests of a repository, in their order',
  returns: json(200, v.array(PullRequest)),
  handler: async (context) => {
    const { caller, sql } = context
    const pinned = await pinnedIssues(sql, { repository: caller.repo.id, isPull: true })
    const rows = await pullsByIds(sql, pinned)
    const inOrder = rows.toSorted((a, b) => a.pin_order - b.pin_order)
    return printedPulls(context, inOrder, { withTotals: true })
  },
})

export const repoGetPullRequest = route('GET /repos/{owner}/{repo}/pulls/{index}', {
  ...reading,
  summary: 'A pull request',
  params: onIssue,
  returns: json(200, PullRequest),
  handler: async (context) => {
    const { caller, params, sql } = context
    return printedPull(context, found(await pullByNumber(sql, caller.repo.id, numberIn(params.index))))
  },
})

export const repoGetPullRequestByBaseHead = route('GET /repos/{owner}/{repo}/pulls/{base}/{head...}', {
  ...reading,
  summary: 'The pull request of two branches: the open one, or the newest',
  returns: json(200, PullRequest),
  handler: async (context) => {
    const { caller, params, sql } = context
    const base = found(await repositoryById(sql, caller.repo.id))
    const head = await headRepository(context, base, params.head)
    const pair = {
      repository: base.id,
      base_branch: params.base,
      head_repository: head.row.id,
      head_branch: head.branch,
    }
    return printedPull(context, found(await pullOfPair(sql, pair)))
  },
})

export const repoCreatePullRequest = route('POST /repos/{owner}/{repo}/pulls', {
  summary: 'Propose a branch to be merged into another one',
  access: pullAuthor(),
  body: CreatePullRequestOption,
  fails: [404, 409, 422],
  returns: json(201, PullRequest),
  runsGit: true,
  handler: async (context) => printedPull(context, await createPull(context)),
})

export const repoEditPullRequest = route('PATCH /repos/{owner}/{repo}/pulls/{index}', {
  summary: 'Change, close or reopen a pull request; omitted members keep their values',
  access: pullAuthor(),
  params: onIssue,
  body: EditPullRequestOption,
  fails: [404, 409, 412, 422],
  returns: json(201, PullRequest),
  runsGit: true,
  handler: async (context) => printedPull(context, await editPull(context, numberIn(context.params.index))),
})

export const repoGetCommitPullRequest = route('GET /repos/{owner}/{repo}/commits/{sha}/pull', {
  ...reading,
  summary: 'The pull request that brought a commit',
  returns: json(200, PullRequest),
  handler: async (context) => {
    const { caller, params, sql } = context
    const commit = params.sha.toLowerCase()
    return printedPull(context, found(await pullOfMergedCommit(sql, caller.repo.id, commit)))
  },
})
