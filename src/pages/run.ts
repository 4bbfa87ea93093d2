import { printJob, type WorkflowJob } from '../forge/actions/job.shape.ts'
import { jobInRepository, pageOfJobs } from '../forge/actions/job-list.ts'
import { endOf, logOfJob, logsOfRun, sendLog } from '../forge/actions/job-log.ts'
import { printRun } from '../forge/actions/run.shape.ts'
import { runInRepository } from '../forge/actions/run-list.ts'
import { sendLogs } from '../forge/actions/run-log.ts'
import { actionsSeen } from '../forge/repos/access.ts'
import { found, notFound } from '../http/route/problem.ts'
import { id } from '../http/route/values.ts'
import { type Html, html, timeOf } from './html.ts'
import { page } from './layout.ts'
import { pageReply } from './profile.ts'
import { repositoryTitle } from './repository-title.ts'
import { route } from './route.ts'
import { stateOf } from './run-state.ts'
import { viewerOf } from './session/viewer.ts'

/** How many jobs of a run its page shows. */
const most = 256

/** How many characters of a log the page of a job shows. */
const mostOfLog = 128 * 1024

export const getRunPage = route('GET /{owner}/{repo}/actions/runs/{run}', {
  ...pageReply,
  summary: 'A run of a workflow with its jobs, as a page',
  access: actionsSeen(),
  params: { run: id },
  handler: async ({ caller, params, sql, from: { host } }) => {
    const { repo } = caller
    const listed = found(await runInRepository(sql, repo.id, params.run))
    const printed = printRun(listed, { viewer: caller.me, host })
    const scope = { repository: repo.id }
    const paging = { page: 1, limit: most }
    const newest = { run: params.run, attempt: 'newest' } as const
    const jobs = await pageOfJobs(sql, { scope, paging, by: 'asc', selection: undefined }, newest)
    const hasLogs = (await logsOfRun(sql, repo.id, params.run)).length > 0
    const title = `${printed.display_title} #${printed.run_number}`
    const main = html`${await repositoryTitle({ host, sql, caller, current: 'actions' })}
<h2>${title} ${stateOf(printed)}</h2>
<div class="panel">
<section class="card" aria-labelledby="jobs">
<h2 id="jobs">Jobs</h2>
<ul class="list">${jobs.rows.map((row) => {
      const job = printJob(row, host)
      return html`
<li><div class="row"><a href="${job.html_url}">${job.name}</a> ${stateOf(job)}</div></li>`
    })}
</ul>
</section>
<section class="card" aria-labelledby="about">
<h2 id="about">About</h2>
<dl class="facts">
<dt>Workflow</dt><dd>${printed.path.split('@')[0] ?? ''}</dd>
<dt>Event</dt><dd>${printed.event}</dd>
<dt>Commit</dt><dd><a href="${printed.repository.html_url}/commit/${printed.head_sha}"><code>${printed.head_sha.slice(0, 10)}</code></a></dd>
${printed.head_branch === undefined ? undefined : html`<dt>Branch</dt><dd>${printed.head_branch}</dd>`}
<dt>Attempt</dt><dd>${printed.run_attempt}</dd>
<dt>By</dt><dd><a href="${printed.actor.html_url}">${printed.actor.login}</a></dd>
<dt>Started</dt><dd>${timeOf(printed.created_at)}</dd>
${hasLogs ? html`<dt>Logs</dt><dd><a href="${printed.html_url}/logs">Download as zip</a></dd>` : undefined}
</dl>
</section>
</div>`
    return page({ host, viewer: viewerOf(caller), title, main })
  },
})

export const getJobPage = route('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job}', {
  ...pageReply,
  summary: 'A job of a run with its steps, as a page',
  access: actionsSeen(),
  params: { run: id, job: id },
  handler: async ({ caller, params, sql, from: { host } }) => {
    const { repo } = caller
    const row = found(await jobInRepository(sql, repo.id, params.job))
    found(row.run_id === params.run ? row : undefined)
    const printed = printJob(row, host)
    const log = await logOfJob(sql, repo.id, params.job)
    const end = log && (await endOf(sql, log, mostOfLog))
    const runPage = `${host}${repo.owner.name}/${repo.name}/actions/runs/${params.run}`
    const main = html`${await repositoryTitle({ host, sql, caller, current: 'actions' })}
<h2>${printed.name} ${stateOf(printed)}</h2>
<p><a href="${runPage}">Back to the run</a></p>
<div class="column">
${stepsOf(printed)}
${end && logSection(end, `${printed.html_url}/logs`)}
</div>`
    return page({ host, viewer: viewerOf(caller), title: printed.name, main })
  },
})

/** What the API answers, for those who have a session in a browser. */
export const getRunLogs = route('GET /{owner}/{repo}/actions/runs/{run}/logs', {
  summary: 'The logs of a run, as a zip archive',
  access: actionsSeen(),
  params: { run: id },
  fails: [404],
  returns: [200],
  sends: 'stream',
  handler: async ({ caller, params, sql }) => {
    const logs = await logsOfRun(sql, caller.repo.id, params.run)
    if (logs.length === 0) throw notFound()
    return sendLogs(sql, params.run, logs)
  },
})

/** The same for one job. */
export const getJobLog = route('GET /{owner}/{repo}/actions/runs/{run}/jobs/{job}/logs', {
  summary: 'The log of a job, as a text file',
  access: actionsSeen(),
  params: { run: id, job: id },
  fails: [404],
  returns: [200],
  sends: 'stream',
  handler: async ({ caller, params, sql }) => {
    const row = found(await jobInRepository(sql, caller.repo.id, params.job))
    found(row.run_id === params.run ? row : undefined)
    return sendLog(sql, found(await logOfJob(sql, caller.repo.id, params.job)))
  },
})

/** The end of a log without what is for machines: times of lines, marks of groups, colours of terminals. */
function logSection({ text, isCut }: { text: string; isCut: boolean }, whole: string): Html {
  const plain = text
    .replace(/^\d{4}-\d\d-\d\dT[\d:.]{16}Z (?:::endgroup::\n|::group::)?/gm, '')
    .replace(/\u001b\[[\d;]*[A-Za-z]/g, '')
  return html`<section class="card" aria-labelledby="log">
<div class="row"><h2 id="log">Log</h2> <a href="${whole}">Download${isCut ? ' all of it' : undefined}</a></div>
${isCut ? html`<p class="meta">This is its end.</p>` : undefined}
${plain === '' ? html`<p class="empty">Nothing has been written yet.</p>` : html`<pre tabindex="0" aria-labelledby="log">${plain}</pre>`}
</section>`
}

function stepsOf({ steps }: WorkflowJob): Html {
  return html`<section class="card" aria-labelledby="steps">
<h2 id="steps">Steps</h2>
${steps.length === 0 ? html`<p class="empty">No step has begun yet.</p>` : undefined}
<ol class="list">${steps.map(
    (step) => html`
<li><div class="row"><span>${step.name}</span> ${stateOf(step)}</div></li>`,
  )}
</ol>
</section>`
}
