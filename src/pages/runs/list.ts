import type { Page, Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { accountByName } from '../../forge/accounts/account-store.ts'
import { selectionFrom } from '../../forge/actions/filter.ts'
import { type ListedRun, printRun, type WorkflowRun } from '../../forge/actions/run.shape.ts'
import { pageOfRuns } from '../../forge/actions/run-list-store.ts'
import { ActionsDisableWorkflow, ActionsEnableWorkflow } from '../../forge/actions/workflows.ts'
import { queryText } from '../../forge/protocol/query.ts'
import {
  actionsSeen,
  actionsWritten,
  type OnRepository,
  type SignedInOnRepository,
} from '../../forge/repos/access.ts'
import { pageQuery } from '../../http/route/page.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { mayWrite } from '../code/edit-address.ts'
import { type Fields, unknownAction } from '../form.ts'
import { counted, type Html, html, noneOf, timeOf, withQuery } from '../html.ts'
import { card, listOf, pageLinks } from '../layout.ts'
import { rowOf } from '../list.ts'
import { noticeOf } from '../operations/fields.ts'
import { type Asked, operationForm, replyToForm } from '../operations/form.ts'
import type { Refusal } from '../operations/refusal.ts'
import { pageReply } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { type PageTools, route } from '../route.ts'
import { durationOf } from './duration.ts'
import { stateOf } from './run-state.ts'
import { workflowsCard } from './workflows.ts'

const limit = 30

/** What a list of runs is filtered by; "" is no filter. */
const filters = ['workflow', 'branch', 'event', 'status', 'actor'] as const
type Filter = Readonly<Record<(typeof filters)[number], string>>
const noFilter: Filter = { workflow: '', branch: '', event: '', status: '', actor: '' }

/** States that the list can be filtered by: the value of the API, and the name on the page. */
const states = [
  ['', 'All'],
  ['success', 'Success'],
  ['failure', 'Failure'],
  ['cancelled', 'Cancelled'],
  ['in_progress', 'In progress'],
  ['waiting,queued', 'Waiting'],
] as const

export const getRunsPage = route('GET /{owner}/{repo}/actions', {
  summary:
    'The runs of a repository, filtered by workflow, branch, event, state and person, newest first, as a page',
  access: actionsSeen(),
  query: {
    workflow: queryText,
    branch: queryText,
    event: queryText,
    status: queryText,
    actor: queryText,
    page: pageQuery().page,
  },
  ...pageReply,
  handler: ({ query: { page, ...filter }, ...context }) => runsPage(context, filter, { page }),
})

export const switchWorkflowByPage = route('POST /{owner}/{repo}/actions', {
  ...operationForm(actionsWritten()),
  summary: 'Enable or disable a workflow',
  fails: [400, 404, 503],
  handler: ({ caller: sender, body, ...context }) =>
    replyToForm(sender, body, {
      ask: (caller) => askedOf(caller, body),
      again: (caller, refusal) => runsPage({ ...context, caller }, noFilter, { page: 1, refusal }),
    }),
})

/** @throws Problem 400 an unknown action */
function askedOf({ repo }: SignedInOnRepository, { action = '', workflow = '' }: Fields): Asked {
  const [, operation] = Object.entries(switches).find(([name]) => name === action) ?? []
  if (!operation) throw unknownAction()
  const [owner, name] = [repo.owner.name, repo.name]
  const params = { owner, repo: name, workflow_id: workflow }
  return { calls: [[operation, { params }]], leadsTo: `${owner}/${name}/actions` }
}

const switches = { enable: ActionsEnableWorkflow, disable: ActionsDisableWorkflow }

type Context = HandlerBase<PageTools> & { caller: OnRepository }

/** The runs, and the workflows for those who may write; `refusal`: why a form of the page has changed nothing. */
async function runsPage(
  { caller, sql, now, from, tools }: Context,
  filter: Filter,
  { page, refusal }: { page: number; refusal?: Refusal },
): Promise<string> {
  const { host } = from
  const { owner, name, id } = caller.repo
  const list = await runsBy(sql, id, filter, { page, limit })
  const address = `${host}${owner.name}/${name}/actions`
  const link = (changed: Partial<Filter>) => withQuery(address, { ...filter, ...changed })
  const isFiltered = filters.some((each) => filter[each] !== '')
  const main = html`${noticeOf(undefined, refusal)}
${card('runs', counted(list.total, 'run'))`${filterLinks(filter, link)}
${listOf(
  list.rows.map((row) => runEntry(row, printRun(row, { viewer: caller.me, host }), { link, now })),
  isFiltered || page > 1
    ? noneOf(['run'], { isFiltered, page })
    : 'No runs yet. Workflows are files in .gitea/workflows, and start when somebody pushes.',
)}`}
${pageLinks(list, address, filter)}
${mayWrite(caller) ? await workflowsCard({ sql, from, tools }, caller.repo) : undefined}`
  return repositoryPage({ host, sql, caller, current: 'actions', title: 'Actions', main })
}

/** No runs for an unknown state or person. */
async function runsBy(
  sql: Sql,
  repository: number,
  filter: Filter,
  paging: Paging,
): Promise<Page<ListedRun>> {
  const isKnown = states.some(([status]) => status === filter.status)
  const actor = filter.actor === '' ? undefined : await accountByName(sql, filter.actor)
  if (!isKnown || (filter.actor !== '' && !actor)) return { rows: [], total: 0, ...paging }
  const selection = selectionFrom(filter.status.split(','))
  const { event, branch, workflow } = filter
  const listing = { scope: { repository }, selection, paging }
  return pageOfRuns(sql, listing, { event, branch, workflow, actor: actor?.id, head_sha: '' })
}

type Link = (changed: Partial<Filter>) => string

/** States to choose from, and what else the list is filtered by, each with a link that ends it. */
function filterLinks(filter: Filter, link: Link): Html {
  const others = filters.filter((each) => each !== 'status' && filter[each] !== '')
  return html`<nav aria-label="States" class="run-states"><ul>${states.map(
    ([status, text]) =>
      html`<li><a href="${link({ status })}"${status === filter.status ? html` aria-current="true"` : undefined}>${text}</a></li>`,
  )}</ul></nav>
${others.length === 0 ? undefined : html`<p class="actions">${others.map((each) => html`<span class="badge">${each} ${filter[each]} <a href="${link({ [each]: '' })}" aria-label="Show all again, not only ${each} ${filter[each]}">&#10005;</a></span>`)}</p>`}`
}

/** A run, and links to the runs that are like it. */
function runEntry({ run }: ListedRun, printed: WorkflowRun, { link, now }: { link: Link; now: Date }): Html {
  const { html_url, display_title, run_number, event, actor, head_branch: branch, created_at } = printed
  const like = (changed: Partial<Filter>, text: string) => html`<a href="${link(changed)}">${text}</a>`
  return rowOf(
    html`<a href="${html_url}">${display_title} #${run_number}</a> ${stateOf(printed)}`,
    html`${durationOf(printed, now)} ${like({ workflow: run.workflow_file }, run.workflow_file)} · ${like({ event }, event)}${branch === undefined ? undefined : html` on ${like({ branch }, branch)}`} by ${like({ actor: actor.login }, actor.login)} ${timeOf(created_at)}`,
  )
}
