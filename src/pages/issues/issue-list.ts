import { printIssue } from '../../forge/issues/issue.shape.ts'
import { filterOf, labelNames, namedAccounts } from '../../forge/issues/issue-filter.ts'
import { ISSUE_ORDERS, pageOfIssues } from '../../forge/issues/issue-list-store.ts'
import { viewOf } from '../../forge/issues/issue-view.ts'
import { peopleIn } from '../../forge/issues/people.ts'
import { milestonesNamed } from '../../forge/milestones/named.ts'
import { queryChoice, queryText, queryTrimmed } from '../../forge/protocol/query.ts'
import { pageQuery } from '../../http/route/page.ts'
import { notFound } from '../../http/route/problem.ts'
import { type Html, html, noneOf, sizeOf, withQuery } from '../html.ts'
import { card, inOrder, listOf, pageLinks } from '../layout.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import type { IssueContext } from './issue-context.ts'
import { issueEntry } from './issue-entry.ts'
import { type IssuesQuery, issueChoices, issueFilters } from './issue-filters.ts'

/** Issues or pull requests on a page. */
const limit = 50

/** What the lists of issues and of pull requests are filtered and sorted by, with the names of the API. */
export const listQuery = {
  state: queryChoice('open', 'closed', 'all'),
  labels: queryText,
  milestones: queryText,
  created_by: queryTrimmed,
  assigned_by: queryTrimmed,
  q: queryTrimmed,
  sort: queryChoice(...ISSUE_ORDERS),
  page: pageQuery().page,
}

type Search = IssuesQuery & { state: 'open' | 'closed' | 'all' | '' }

interface Listing {
  query: Search & { page: number }
  isPull: boolean
  /** Links above the list; `address` is that of the list. */
  actions: (address: string) => Html
  /** What a list says in which nothing is open yet. */
  empty: (address: string) => Html
}

const kinds = {
  issues: { segment: 'issues', title: 'Issues', one: 'issue' },
  pulls: { segment: 'pulls', title: 'Pull requests', one: 'pull request' },
} as const

/** A page of the issues or of the pull requests of a repository. @throws Problem 404 no such account, 422 */
export async function issueListPage(
  { caller, sql, from: { host } }: IssueContext,
  { query, isPull, actions, empty }: Listing,
): Promise<string> {
  const { segment, title, one } = kinds[isPull ? 'pulls' : 'issues']
  const { page, ...search } = query
  const filter = filterOf({ ...search, since: '', before: '' })
  const shown = { ...search, state: filter.state }
  const address = `${host}${caller.repo.owner.name}/${caller.repo.name}/${segment}`
  const choices = await issueChoices(sql, caller, { isPull })
  const order = choices.orders.find((each) => each === search.sort) ?? 'latest'
  const { selection, isHidden } = await selectionOf({ caller, sql }, { ...search, state: filter.state })
  const list = await pageOfIssues(sql, { ...selection, ...filter, isPull }, { page, limit }, order)
  if (isHidden && list.total === 0) throw notFound()
  const people = await peopleIn(sql, list.rows)
  const issues = list.rows.map((row) => printIssue(row, people, viewOf(caller, host)))
  const isFiltered = page > 1 || Object.values(search).some((value) => value !== '')
  const main = html`${issueFilters(address, shown, choices, { order, title })}
${actions(address)}
${card('issues', sizeOf(list, one))`${listOf(issues.map(issueEntry), isFiltered ? nothingLike(address, shown, { one, page }) : empty(address))}`}
${pageLinks(list, address, shown, inOrder)}`
  return repositoryPage({ host, sql, caller, current: segment, title, main })
}

/** What a list says in which nothing is as it was asked for: the next step is to ask for less. */
function nothingLike(address: string, shown: Search, { one, page }: { one: string; page: number }): Html {
  const less = shown.state === 'open' ? { ...shown, state: 'all' } : {}
  const text = shown.state === 'open' ? 'Look among the closed ones, too' : 'Show all that are open'
  return html`${noneOf([one], { isFiltered: true, page })} <a href="${withQuery(address, less)}">${text}</a>`
}

/** The filters that name something of the repository, or somebody. @throws Problem 404, 422 */
async function selectionOf({ caller, sql }: Pick<IssueContext, 'caller' | 'sql'>, search: Search) {
  const { id } = caller.repo
  const { created_by, assigned_by, review_requested = '' } = search
  const named = await namedAccounts(sql, caller, { created_by, assigned_by, mentioned_by: '' })
  const asked = await namedAccounts(sql, caller, {
    created_by: '',
    assigned_by: review_requested,
    mentioned_by: '',
  })
  const selection = {
    repository: id,
    labels: labelNames(search.labels),
    milestones: await milestonesNamed(sql, id, search.milestones),
    reviewRequested: asked.accounts.assignee,
    ...named.accounts,
  }
  return { selection, isHidden: named.isHidden || asked.isHidden }
}
