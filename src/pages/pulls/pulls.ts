import { queryTrimmed } from '../../forge/protocol/query.ts'
import { pullsSeen } from '../../forge/pulls/access.ts'
import { html } from '../html.ts'
import { issueListPage, listQuery } from '../issues/issue-list.ts'
import { pageReply } from '../profile.ts'
import { route } from '../route.ts'

export const getPullsPage = route('GET /{owner}/{repo}/pulls', {
  summary: 'Pull requests of a repository, filtered and sorted, as a page',
  access: pullsSeen(),
  query: { ...listQuery, review_requested: queryTrimmed },
  ...pageReply,
  handler: ({ query, ...context }) => {
    const { owner, name } = context.caller.repo
    const milestones = `${context.from.host}${owner.name}/${name}/milestones`
    return issueListPage(context, {
      query,
      isPull: true,
      actions: () => html`<p class="actions"><a href="${milestones}">Milestones</a></p>`,
    })
  },
})
