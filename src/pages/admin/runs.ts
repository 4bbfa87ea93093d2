import { STATUS_FILTERS } from '../../actions/run/api-status.ts'
import { WorkflowJob } from '../../forge/actions/job.shape.ts'
import { listAdminWorkflowJobs } from '../../forge/actions/jobs.ts'
import { WorkflowRun } from '../../forge/actions/run.shape.ts'
import { listAdminWorkflowRuns } from '../../forge/actions/runs.ts'
import { queryChoice, queryTrimmed } from '../../forge/protocol/query.ts'
import { choice, field, hiddenFields } from '../form.ts'
import { type Html, html, timeOf, withoutEmpty } from '../html.ts'
import { listQuery, listSection, orderOf, pageAt, rowOf, sortLinks } from '../list.ts'
import { readPage } from '../operations/perform.ts'
import { route } from '../route.ts'
import { stateOf } from '../runs/run-state.ts'
import { filterForm } from './fields.ts'
import { adminPage } from './frame.ts'
import { adminReply } from './reply.ts'

const statuses: Readonly<Record<string, string>> = {
  '': 'All',
  ...Object.fromEntries(STATUS_FILTERS.map((word) => [word, word.replaceAll('_', ' ')])),
}
const status = queryChoice(...STATUS_FILTERS)
const statusChoice = (value: string) => choice({ name: 'status', label: 'State', value, options: statuses })

export const getAdminRunsPage = route('GET /-/admin/runs', {
  ...adminReply,
  summary: 'Runs in all repositories under filters, the newest first, as a page',
  query: { ...listQuery, status, event: queryTrimmed, branch: queryTrimmed, actor: queryTrimmed },
  fails: [404],
  handler: async ({ caller, query, from: { host } }) => {
    const { event, branch, actor } = query
    const selection = withoutEmpty({ status: query.status, event, branch, actor })
    const input = { query: { ...selection, ...pageAt(query.page) } }
    const page = await readPage(caller, listAdminWorkflowRuns, WorkflowRun, input)
    const address = `${host}-/admin/runs`
    const optional = { isOptional: true, autocomplete: 'off' }
    const main = html`${filterForm(
      address,
      html`${statusChoice(query.status)}
${field({ ...optional, name: 'event', label: 'Event', value: event })}
${field({ ...optional, name: 'branch', label: 'Branch', value: branch })}
${field({ ...optional, name: 'actor', label: 'Started by', value: actor })}`,
    )}
${listSection({ address, selection, page, noun: ['run'], rowOf: runRow })}`
    const beside = html`<a class="button quiet" href="${host}-/admin/jobs">Jobs</a>`
    return adminPage({ caller, title: 'Runs', section: 'runs', main, beside })
  },
})

function runRow(run: WorkflowRun): Html {
  const { html_url, display_title, run_number, repository, path, event, actor, created_at } = run
  return rowOf(
    html`<a href="${html_url}"><bdi>${display_title}</bdi> #${run_number}</a> ${stateOf(run)}`,
    html`<a href="${repository.html_url}">${repository.full_name}</a> · ${path.split('@')[0] ?? ''} · ${event} by ${actor.login} · ${timeOf(created_at)}`,
  )
}

const orders = { 'id desc': 'newest', 'id asc': 'oldest' } as const

export const getAdminJobsPage = route('GET /-/admin/jobs', {
  ...adminReply,
  summary: 'Jobs of all repositories by state, as a page',
  query: { ...listQuery, status, by: queryChoice(...Object.keys(orders)) },
  handler: async ({ caller, query, from: { host } }) => {
    const by = query.by || 'id desc'
    const selection = withoutEmpty({ status: query.status })
    const input = { query: { ...selection, ...orderOf(by), ...pageAt(query.page) } }
    const page = await readPage(caller, listAdminWorkflowJobs, WorkflowJob, input)
    const address = `${host}-/admin/jobs`
    const main = html`${filterForm(address, html`${statusChoice(query.status)}${hiddenFields({ by: query.by || undefined })}`)}
${sortLinks(address, selection, by, orders)}
${listSection({
  address,
  selection: { ...selection, by },
  page,
  noun: ['job'],
  rowOf: (job) => jobRow(job, host),
})}`
    const beside = html`<a class="button quiet" href="${host}-/admin/runs">Runs</a>`
    return adminPage({ caller, title: 'Jobs', section: 'runs', main, beside })
  },
})

function jobRow(job: WorkflowJob, host: string): Html {
  const [owner = '', repository = ''] = job.html_url.slice(host.length).split('/')
  const runner = job.runner_name === undefined ? undefined : html` · on <bdi>${job.runner_name}</bdi>`
  return rowOf(
    html`<a href="${job.html_url}"><bdi>${job.name}</bdi></a> ${stateOf(job)}`,
    html`<a href="${host}${owner}/${repository}">${owner}/${repository}</a> · runs on ${job.labels.join(', ')}${runner} · ${timeOf(job.created_at)}`,
  )
}
