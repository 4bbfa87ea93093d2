import type { Page, Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { accountByName } from '../../forge/accounts/account-store.ts'
import { selectionFrom } from '../../forge/actions/filter.ts'
import { type ListedRun, printRun, type WorkflowRun } from '../../forge/actions/run.shape.ts'
import { pageOfRuns } from '../../forge/actions/run-list-store.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { actionsSeen } from '../../forge/repos/access.ts'
import { pageQuery } from '../../http/route/page.ts'
import { mayWrite } from '../code/edit-address.ts'
import { counted, type Html, html, timeOf, withQuery } from '../html.ts'
import { card, listOf, pageLinks } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { durationOf } from './duration.ts'
import { stateOf } from './run-state.ts'
import { startLinks } from './start-page.ts'

const limit = 30

/** What a list of runs is filtered by; "" is no filter. */
const filters = ['workflow', 'branch', 'event', 'status', 'actor'] as const
type Filter = Readonly<Record<(typeof filters)[number], string>>

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
  handler: async ({ caller, query, sql, now, from, tools }) => {
    const { host } = from
    const { owner, name, id } = caller.repo
    const { page, ...filter } = query
    const list = await runsBy(sql, id, filter, { page, limit })
    const address = `${host}${owner.name}/${name}/actions`
    const link = (changed: Partial<Filter>) => withQuery(address, { ...filter, ...changed })
    const isFiltered = filters.some((each) => filter[each] !== '')
    const main = html`${mayWrite(caller) ? await startLinks({ sql, from, tools }, caller.repo) : undefined}
${card('runs', counted(list.total, 'run'))`${filterLinks(filter, link)}
${listOf(
  list.rows.map((row) => runEntry(row, printRun(row, { viewer: caller.me, host }), { link, now })),
  isFiltered
    ? 'No run is like that.'
    : 'Nothing has run yet. Workflows are files in .gitea/workflows, and start when somebody pushes.',
)}`}
${pageLinks(list, address, filter)}`
    return repositoryPage({ host, sql, caller, current: 'actions', title: 'Actions', main })
  },
})

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
  return html`
<li><h3><a href="${html_url}">${display_title} #${run_number}</a> ${stateOf(printed)}</h3>
<p class="meta">${durationOf(printed, now)} ${like({ workflow: run.workflow_file }, run.workflow_file)} · ${like({ event }, event)}${branch === undefined ? undefined : html` on ${like({ branch }, branch)}`} by ${like({ actor: actor.login }, actor.login)} ${timeOf(created_at)}</p></li>`
}
