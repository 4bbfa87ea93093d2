import { issuesAloneSeen } from '../../forge/repos/issue-access.ts'
import { html } from '../html.ts'
import { pageReply } from '../profile.ts'
import { route } from '../route.ts'
import { issueListPage, listQuery } from './issue-list.ts'

export const getIssuesPage = route('GET /{owner}/{repo}/issues', {
  summary: 'Issues of a repository, filtered and sorted, as a page',
  access: issuesAloneSeen(),
  query: listQuery,
  ...pageReply,
  handler: ({ query, ...context }) => {
    const { owner, name, is_archived } = context.caller.repo
    const milestones = `${context.from.host}${owner.name}/${name}/milestones`
    return issueListPage(context, {
      empty: (address) =>
        html`No open issues.${is_archived ? undefined : html` <a href="${address}/new">Open an issue</a> to report or plan something.`}`,
      query,
      isPull: false,
      actions: (address) =>
        html`<p class="actions">${is_archived ? undefined : html`<a class="button" href="${address}/new" aria-keyshortcuts="n">New issue</a>`} <a href="${milestones}">Milestones</a> <a href="${context.from.host}${owner.name}/${name}/labels">Labels</a></p>`,
    })
  },
})
