import { printIssue } from '../../forge/issues/issue.shape.ts'
import { filterOf } from '../../forge/issues/issue-filter.ts'
import { pageOfIssues } from '../../forge/issues/issue-list-store.ts'
import { viewOf } from '../../forge/issues/issue-view.ts'
import { peopleIn } from '../../forge/issues/people.ts'
import { printMilestone } from '../../forge/milestones/milestone.shape.ts'
import { milestonesByIds, pageOfMilestones } from '../../forge/milestones/milestone-store.ts'
import { numberIn, numberParam, queryChoice } from '../../forge/protocol/query.ts'
import { issuesSeen } from '../../forge/repos/issue-access.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { counted, type Html, html, noneOf, sizeOf } from '../html.ts'
import { issueEntry } from '../issues/issue-entry.ts'
import { milestoneAddress, milestoneEntry, milestoneFacts } from '../issues/milestone-entry.ts'
import { rightsOn } from '../issues/rights.ts'
import { stateBadge } from '../issues/state-badge.ts'
import { card, inOrder, listOf, pageLinks } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { rendered } from '../rendered.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'

/** Milestones or issues on a page. */
const limit = 50
const states = ['open', 'closed', 'all'] as const
const choice = { state: queryChoice(...states), page: pageQuery().page }

/** The state that a query asks for. */
const stateOf = (text: string) => states.find((each) => each === text) ?? 'open'

/** The state as a word before a noun. */
const stateWord = (state: (typeof states)[number]) => (state === 'all' ? '' : `${state} `)

/** Links to the lists of the other states; `address` is without a query. */
const stateLinks = (address: string, current: (typeof states)[number]): Html => html`
<p class="actions">${states.map((state) => html`<a href="${address}?state=${state}"${state === current ? html` aria-current="true"` : undefined}>${state}</a>`)}</p>`

export const getMilestonesPage = route('GET /{owner}/{repo}/milestones', {
  summary: 'Milestones of a repository with their progress, by due time, as a page',
  access: issuesSeen(),
  query: choice,
  ...pageReply,
  handler: async ({ caller, query, sql, from: { host } }) => {
    const { id, owner, name } = caller.repo
    const home = `${host}${owner.name}/${name}`
    const state = stateOf(query.state)
    const paging = { page: query.page, limit }
    const list = await pageOfMilestones(sql, id, { state, name: '' }, paging)
    const address = `${home}/milestones`
    const main = html`<div class="title"><h2>Milestones</h2>${rightsOn(caller).writes ? html`<a class="button" href="${address}/new">New milestone</a>` : undefined}</div>
${stateLinks(address, state)}
${card('milestones', counted(list.total, 'milestone'))`${listOf(
  list.rows.map((row) => milestoneEntry(home, printMilestone(row))),
  list.page > 1
    ? noneOf(['milestone'], list)
    : html`No ${stateWord(state)}milestones. A milestone gathers issues for a day or a release.`,
)}`}
${pageLinks(list, address, { state }, inOrder)}`
    return repositoryPage({ host, sql, caller, current: 'issues', title: 'Milestones', main })
  },
})

export const getMilestonePage = route('GET /{owner}/{repo}/milestone/{id}', {
  summary: 'A milestone with its progress and its issues, newest first, as a page',
  access: issuesSeen(),
  params: { id: numberParam },
  query: choice,
  ...pageReply,
  handler: async ({ params, query, ...context }) => {
    const { caller, sql, from } = context
    const { host } = from
    const { id: repository, owner, name } = caller.repo
    const home = `${host}${owner.name}/${name}`
    const [row] = await milestonesByIds(sql, repository, [numberIn(params.id)])
    const milestone = printMilestone(found(row))
    const state = stateOf(query.state)
    const filter = filterOf({ state, q: '', labels: '', since: '', before: '' })
    const paging = { page: query.page, limit }
    const selection = { ...filter, repository, labels: [], milestones: [milestone.id] }
    const list = await pageOfIssues(sql, selection, paging)
    const people = await peopleIn(sql, list.rows)
    const issues = list.rows.map((each) => printIssue(each, people, viewOf(caller, host)))
    const address = milestoneAddress(home, milestone)
    const place = { context: `${owner.name}/${name}`, owner: owner.id }
    const text = milestone.description
    const notes = text === '' ? undefined : await rendered(context, { text, mode: 'comment', ...place })
    const main = html`<h2>${milestone.title} ${stateBadge(milestone)}</h2>
<p class="meta">${milestoneFacts(milestone)}</p>
${notes ? html`<div class="rendered">${notes}</div>` : text && html`<p class="prose-text">${text}</p>`}
<p class="actions"><a href="${home}/milestones">All milestones</a>${rightsOn(caller).writes ? html` <a href="${home}/milestones/${milestone.id}/edit">Change</a>` : undefined}</p>
${stateLinks(address, state)}
${card('issues', sizeOf(list, 'issue'))`${listOf(issues.map(issueEntry), list.page > 1 ? noneOf(['issue'], list) : html`No ${stateWord(state)}issues in this milestone. An issue gets its milestone on its own page.`)}`}
${pageLinks(list, address, { state }, inOrder)}`
    return repositoryPage({ host, sql, caller, current: 'issues', title: milestone.title, main })
  },
})
