import { printJob, type WorkflowJob } from '../../forge/actions/job.shape.ts'
import { jobInRepository } from '../../forge/actions/job-list-store.ts'
import { sendLog } from '../../forge/actions/job-log.ts'
import { logOfJob } from '../../forge/actions/job-log-store.ts'
import { runInRepository } from '../../forge/actions/run-list-store.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { actionsSeen } from '../../forge/repos/access.ts'
import { found } from '../../http/route/problem.ts'
import { streamed } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { html } from '../html.ts'
import { card } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { annotationsIn } from './annotations.ts'
import { durationOf } from './duration.ts'
import { environmentIn } from './environment.ts'
import { jobForm, mayControl } from './run-forms.ts'
import { liveNote, stateOf } from './run-state.ts'
import { sectionsOf } from './sections.ts'
import { faultOf, stepSection } from './steps.ts'
import { summariesIn } from './summaries.ts'

export const getJobPage = route('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job}', {
  ...pageReply,
  summary: 'A job of a run with its steps and their logs, as a page',
  access: actionsSeen(),
  params: { run: id, job: id },
  query: { step: queryText },
  handler: async (context) => {
    const { caller, params, query, sql, now } = context
    const { host } = context.from
    const { repo } = caller
    const row = found(await jobInRepository(sql, repo.id, params.job))
    found(row.run_id === params.run ? row : undefined)
    const job = printJob(row, host)
    const log = await logOfJob(sql, repo.id, params.job)
    const sections = await sectionsOf(sql, job, { log, step: query.step })
    const of = { run: params.run, attempt: job.run_attempt, job: params.job }
    const summaries = await summariesIn(context, of)
    const isDone = job.status === 'completed'
    const runPage = `${host}${repo.owner.name}/${repo.name}/actions/runs/${params.run}`
    const annotations = await annotationsIn(sql, of, runPage)
    const environment = environmentIn(row)
    const messages = [log?.message ?? '', log?.end_note ?? ''].filter((text) => text !== '')
    const main = html`<div id="live"${isDone ? undefined : html` data-running`}>
<div id="head" data-part><h2>${job.name} ${stateOf(job)} ${durationOf(job, now)}</h2>
<p><a href="${runPage}">Back to the run</a>${log && html` · <a href="${job.html_url}/logs">Download the log</a>`}${job.runner_name && html` · on ${job.runner_name}`}${environment && html` · ${environment}`}</p>
${mayControl(caller) ? jobForm(runPage, found(await runInRepository(sql, repo.id, params.run)), job) : undefined}
${messages.map((text) => html`<p class="notice bad prose-text run-fault">${text}</p>`)}
${faultOf(sections)}</div>
${liveNote}
${card('steps', 'Steps')`${sections.length === 0 ? html`<p class="empty">${beforeSteps(job)}</p>` : sections.map((section) => stepSection(section, job.html_url, now))}`}
${annotations}${summaries}
</div>`
    return repositoryPage({ host, sql, caller, current: 'actions', title: job.name, main, script: 'run' })
  },
})

/** Why a job has no steps yet. */
function beforeSteps({ status, labels }: WorkflowJob): string {
  if (status === 'pending' || status === 'requested') return 'It waits for other jobs.'
  if (status !== 'queued') return 'No step has begun yet.'
  return `It waits for a runner with the ${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}.`
}

/** What the API answers, for those who have a session in a browser. */
export const getJobLog = route('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job}/logs', {
  summary: 'The log of a job, as a text file',
  access: actionsSeen(),
  params: { run: id, job: id },
  fails: [404],
  returns: streamed(200),
  handler: async ({ caller, params, sql }) => {
    const row = found(await jobInRepository(sql, caller.repo.id, params.job))
    found(row.run_id === params.run ? row : undefined)
    return sendLog(sql, found(await logOfJob(sql, caller.repo.id, params.job)))
  },
})
