import { printIssue } from '../../forge/issues/issue.shape.ts'
import { filterOf, labelNames, namedAccounts } from '../../forge/issues/issue-filter.ts'
import { ISSUE_ORDERS, pageOfIssues } from '../../forge/issues/issue-list-store.ts'
import { viewOf } from '../../forge/issues/issue-view.ts'
import { peopleIn } from '../../forge/issues/people.ts'
import { milestonesNamed } from '../../forge/milestones/named.ts'
import { queryChoice, queryText, queryTrimmed } from '../../forge/protocol/query.ts'
import { issuesAloneSeen } from '../../forge/repos/issue-access.ts'
import { pageQuery } from '../../http/route/page.ts'
import { notFound } from '../../http/route/problem.ts'
import { html, sizeOf } from '../html.ts'
import { card, inOrder, listOf, pageLinks } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { issueEntry } from './issue-entry.ts'
import { issueChoices, issueFilters } from './issue-filters.ts'

/** Issues on a page. */
const limit = 50

export const getIssuesPage = route('GET /{owner}/{repo}/issues', {
  summary: 'Issues of a repository, filtered and sorted, as a page',
  access: issuesAloneSeen(),
  query: {
    state: queryChoice('open', 'closed', 'all'),
    labels: queryText,
    milestones: queryText,
    assigned_by: queryTrimmed,
    q: queryTrimmed,
    sort: queryChoice(...ISSUE_ORDERS),
    page: pageQuery().page,
  },
  ...pageReply,
  handler: async ({ caller, query, sql, from: { host } }) => {
    const { owner, name, id } = caller.repo
    const { page, ...search } = query
    const filter = filterOf({ ...search, since: '', before: '' })
    const shown = { ...search, state: filter.state }
    const address = `${host}${owner.name}/${name}/issues`
    const choices = await issueChoices(sql, caller)
    const order = choices.orders.find((each) => each === search.sort) ?? 'latest'
    const { accounts, isHidden } = await namedAccounts(sql, caller, {
      created_by: '',
      mentioned_by: '',
      assigned_by: search.assigned_by,
    })
    const selection = {
      repository: id,
      labels: labelNames(search.labels),
      milestones: await milestonesNamed(sql, id, search.milestones),
      ...filter,
      isPull: false,
      ...accounts,
    }
    const list = await pageOfIssues(sql, selection, { page, limit }, order)
    if (isHidden && list.total === 0) throw notFound()
    const people = await peopleIn(sql, list.rows)
    const issues = list.rows.map((row) => printIssue(row, people, viewOf(caller, host)))
    const main = html`${issueFilters(address, shown, choices, order)}
<p class="actions">${caller.repo.is_archived ? undefined : html`<a class="button" href="${address}/new">New issue</a>`} <a href="${host}${owner.name}/${name}/milestones">Milestones</a></p>
${card('issues', sizeOf(list, 'issue'))`${listOf(issues.map(issueEntry), 'There are none of this kind.')}`}
${pageLinks(list, address, shown, inOrder)}`
    return repositoryPage({ host, sql, caller, current: 'issues', title: 'Issues', main })
  },
})
