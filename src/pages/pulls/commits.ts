import { offsetOf } from '../../db/page.ts'
import { commitCount } from '../../forge/code/commit-list.ts'
import { onIssue } from '../../forge/protocol/query.ts'
import { pullsSeen } from '../../forge/pulls/access.ts'
import { proposalIn } from '../../forge/pulls/proposal.ts'
import { gitValue } from '../../forge/repos/code.ts'
import { listChanges } from '../../git/repository/commit-list.ts'
import { pageQuery } from '../../http/route/page.ts'
import { commitList } from '../code/commit-list.ts'
import { html } from '../html.ts'
import { addressesOf } from '../issues/issue-context.ts'
import { pageLinks } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { route } from '../route.ts'
import { pullPage, shownPull } from './frame.ts'

/** Commits on a page. */
const limit = 50

export const getPullCommitsPage = route('GET /{owner}/{repo}/pulls/{index}/commits', {
  summary: 'The commits of a pull request, newest first, as a page',
  access: pullsSeen(),
  params: onIssue,
  query: { page: pageQuery().page },
  ...pageReply,
  handler: async ({ params, query, ...context }) => {
    const { code, pull: row, span } = await proposalIn(context, params.index)
    const selection = { tip: span.head, not: span.base }
    const total = await commitCount(code, selection)
    const paging = { page: query.page, limit }
    const skip = offsetOf(paging)
    const listing = { skip, maxCommits: limit, files: false, stats: false }
    const listed = skip < total ? gitValue(await listChanges(code, selection, listing)) : []
    const ids = listed.map(({ id }) => id)
    const { address } = addressesOf(context, row)
    const main = html`${await commitList(context, code, ids)}
${pageLinks({ ...paging, total }, `${address}/commits`)}`
    return pullPage(context, await shownPull(context, row), { current: '/commits', main })
  },
})
