import type { Sql } from '../../db/sql.ts'
import { labelNames } from '../../forge/issues/issue-filter.ts'
import { ISSUE_ORDERS, type IssueOrder, isSortable } from '../../forge/issues/issue-list-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { hiddenFields } from '../form.ts'
import { type Html, html, withoutEmpty, withQuery } from '../html.ts'
import { issueParts } from './issue-parts.ts'

/** What a list of issues is filtered and sorted by, with the names of the API; "" filters nothing. */
export type IssuesQuery = Readonly<
  Record<'state' | 'q' | 'labels' | 'milestones' | 'created_by' | 'assigned_by' | 'sort', string>
> & {
  /** Of pull requests: who is asked for a review. */
  readonly review_requested?: string
}

/** The names of what the visitor can filter by. */
interface IssueChoices {
  labels: readonly string[]
  milestones: readonly string[]
  people: readonly string[]
  /** Who may be asked for a review; none in lists without pull requests. */
  reviewers: readonly string[]
  orders: readonly IssueOrder[]
}

/**
 * Reads what the issues of a repository can be filtered and sorted by; a reader can write others into the address.
 */
export async function issueChoices(
  sql: Sql,
  caller: Pick<OnRepository, 'repo' | 'me'>,
  { isPull }: { isPull: boolean },
): Promise<IssueChoices> {
  const [{ labels, milestones, people }, isSmall] = await Promise.all([
    issueParts(sql, caller),
    isSortable(sql, caller.repo.id),
  ])
  // The API separates names by commas.
  const separable = (names: readonly string[]) =>
    [...new Set(names)].filter((name) => name !== '' && !name.includes(','))
  const known = [...new Set([...(caller.me ? [caller.me.name] : []), ...people])]
  return {
    labels: separable(labels.map(({ name }) => name)),
    milestones: separable(milestones.map(({ title }) => title)),
    people: known,
    reviewers: isPull ? known : [],
    orders: isSmall ? ISSUE_ORDERS : ISSUE_ORDERS.slice(0, 2),
  }
}

const orderNames: Readonly<Record<IssueOrder, string>> = {
  latest: 'Newest',
  oldest: 'Oldest',
  recentupdate: 'Last changed',
  mostcomment: 'Most comments',
}

/** A search field, and menus of links that filter and sort; `address`: of the list. */
export function issueFilters(
  address: string,
  query: IssuesQuery,
  choices: IssueChoices,
  { order, title }: { order: IssueOrder; title: string },
): Html {
  const { q, ...others } = query
  const asked = query.review_requested ?? ''
  const to = (changed: Partial<IssuesQuery>) => withQuery(address, { ...query, ...changed })
  const chosen = labelNames(query.labels)
  return html`<form class="search" role="search" aria-label="${title}" action="${address}">
<label for="q">Words in the title, the text or a comment, or a number</label>
<div class="search-row"><input class="search-field" type="search" id="q" name="q" value="${q}"> <button>Search</button></div>
${hiddenFields(withoutEmpty(others))}
</form>
<div class="filters">
${menu(
  'State',
  query.state,
  ['open', 'closed', 'all'].map((state) => choice(to({ state }), state, state === query.state)),
)}
${menu('Label', chosen.join(', '), [
  ...cleared(query.labels, to({ labels: '' })),
  ...choices.labels.map((name) => {
    const isChosen = chosen.includes(name)
    const labels = isChosen ? chosen.filter((each) => each !== name) : [...chosen, name]
    return choice(to({ labels: labels.join(',') }), name, isChosen)
  }),
])}
${menu('Milestone', query.milestones, [
  ...cleared(query.milestones, to({ milestones: '' })),
  ...choices.milestones.map((title) => choice(to({ milestones: title }), title, title === query.milestones)),
])}
${menu('Author', query.created_by, [
  ...cleared(query.created_by, to({ created_by: '' })),
  ...choices.people.map((name) => choice(to({ created_by: name }), name, name === query.created_by)),
])}
${menu('Assignee', query.assigned_by, [
  ...cleared(query.assigned_by, to({ assigned_by: '' })),
  ...choices.people.map((name) => choice(to({ assigned_by: name }), name, name === query.assigned_by)),
])}
${menu('Review by', asked, [
  ...cleared(asked, to({ review_requested: '' })),
  ...choices.reviewers.map((name) => choice(to({ review_requested: name }), name, name === asked)),
])}
${menu(
  'Order',
  orderNames[order],
  choices.orders.map((each) => choice(to({ sort: each }), orderNames[each], each === order)),
)}
</div>`
}

/** A menu without entries is not shown. */
function menu(name: string, chosen: string, entries: readonly Html[]): Html | undefined {
  if (entries.length === 0) return undefined
  return html`<details class="filter">
<summary class="filter-name">${name}${chosen === '' ? undefined : html`: <strong>${chosen}</strong>`}</summary>
<ul class="filter-list">${entries}</ul>
</details>`
}

const choice = (address: string, text: string, isChosen: boolean): Html => html`
<li><a class="filter-choice" href="${address}"${isChosen ? html` aria-current="true"` : undefined}><bdi>${text}</bdi></a></li>`

const cleared = (query: string, address: string): Html[] =>
  query === '' ? [] : [choice(address, 'Any', false)]
