import {
  issueCreateIssueBlocking,
  issueCreateIssueDependencies,
  issueRemoveIssueBlocking,
  issueRemoveIssueDependencies,
} from '../../forge/issues/dependencies.ts'
import { pageOfRelated } from '../../forge/issues/dependency-store.ts'
import { type Issue, printIssueElsewhere } from '../../forge/issues/issue.shape.ts'
import type { StoredIssue } from '../../forge/issues/issue-store.ts'
import { relationReader } from '../../forge/issues/issue-view.ts'
import { peopleIn } from '../../forge/issues/people.ts'
import { buttonForm, choice, type Fields, field, opened, opener, unknownAction } from '../form.ts'
import { counted, type Html, html } from '../html.ts'
import type { Asked } from '../operations/form.ts'
import type { Refusal } from '../operations/refusal.ts'
import { addressesOf, type IssueContext } from './issue-context.ts'
import { stateSign } from './state-badge.ts'

/** How many issues in each relation a page shows. */
const maximum = 50

/** What is said of each relation, and the action that ends it. */
const relations = {
  dependencies: { name: 'Waits for', end: 'undepend' },
  blocks: { name: 'Blocks', end: 'unblock' },
} as const

/** The issues that one waits for and those that it blocks, as facts about it, with the forms of those who plan. */
export async function relatedFacts(
  context: IssueContext,
  row: StoredIssue,
  mayChange: boolean,
): Promise<Html> {
  const { address } = addressesOf(context, row)
  const waits = await relatedFact(context, row, 'dependencies', mayChange)
  const blocks = await relatedFact(context, row, 'blocks', mayChange)
  const form = opener(
    'Relate',
    'Relate it to another one',
    html`${opened(address, { action: 'relate' })}
${choice({ name: 'relation', label: 'This one', value: 'depend', options: { depend: 'waits for', block: 'blocks' } })}
${field({ name: 'other', label: 'The other one', hint: 'Its number, or owner/repository#number', autocomplete: 'off' })}
<button class="small">Save</button></form>`,
  )
  return html`${waits}${blocks}${mayChange ? html`<dt>Related</dt><dd>${form}</dd>` : undefined}`
}

async function relatedFact(
  context: IssueContext,
  row: StoredIssue,
  relation: keyof typeof relations,
  mayChange: boolean,
): Promise<Html | undefined> {
  const { caller, sql, from } = context
  const { rows, total } = await pageOfRelated(
    sql,
    relationReader(caller),
    { issue: row.id, relation },
    { page: 1, limit: maximum },
  )
  if (total === 0) return undefined
  const people = await peopleIn(sql, rows)
  const { name, end } = relations[relation]
  const { address } = addressesOf(context, row)
  const entries = rows.map((each) => {
    const issue = printIssueElsewhere(each, people, { viewer: caller.me, host: from.host })
    const path = referenceTo(issue, row.repository_id)
    const removal = buttonForm(address, 'Remove', `Remove: ${name} ${path}`, { action: end, other: path })
    return html`<li>${stateSign(issue)} <a href="${issue.html_url}">${path} ${issue.title}</a> ${mayChange ? removal : undefined}</li>`
  })
  return html`<dt>${name}</dt><dd><ul class="related">${entries}</ul>${total > maximum ? html`<p class="meta">and ${counted(total - maximum, 'more', 'more')}, by the API</p>` : undefined}</dd>`
}

/** How an issue is written in texts of a repository. */
const referenceTo = ({ number, repository }: Issue, here: number): string =>
  repository && repository.id !== here ? `${repository.full_name}#${number}` : `#${number}`

/** The operation of each action that relates an issue to another one, or ends that. */
const operations = {
  depend: issueCreateIssueDependencies,
  undepend: issueRemoveIssueDependencies,
  block: issueCreateIssueBlocking,
  unblock: issueRemoveIssueBlocking,
} as const

const isRelation = (text: string): text is keyof typeof operations => Object.hasOwn(operations, text)

/** What a form asks for that relates an issue to the one in `other`. @throws Problem 400 an unknown relation */
export function askedToRelate(
  relation: string,
  { other = '' }: Fields,
  { params, path }: { params: { owner: string; repo: string; index: number }; path: string },
): Asked | Refusal {
  if (!isRelation(relation)) throw unknownAction()
  const [, owner, repo, number] = /^(?:([^/#\s]+)\/([^/#\s]+))?#?(\d{1,9})$/.exec(other.trim()) ?? []
  if (number === undefined)
    return { sentence: 'Write the number of the other one, or owner/repository#number.' }
  const body = { index: Number(number), ...(owner !== undefined && { owner, repo }) }
  return { calls: [[operations[relation], { params, body }]], leadsTo: path }
}
