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
    const { owner, name, is_archived } = context.caller.repo
    const home = `${context.from.host}${owner.name}/${name}`
    return issueListPage(context, {
      empty: () =>
        html`No open pull requests.${is_archived ? undefined : html` A pull request proposes the commits of a branch: change a file into a new branch, or <a href="${home}/compare">choose a branch</a>.`}`,
      query,
      isPull: true,
      actions: () =>
        html`<p class="actions">${is_archived ? undefined : html`<a class="button" href="${home}/compare">New pull request</a>`} <a href="${home}/milestones">Milestones</a></p>`,
    })
  },
})
