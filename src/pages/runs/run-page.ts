import { type ListedJob, printJob } from '../../forge/actions/job.shape.ts'
import { pageOfJobs } from '../../forge/actions/job-list-store.ts'
import { logsOfRun } from '../../forge/actions/job-log-store.ts'
import { printRun, type WorkflowRun } from '../../forge/actions/run.shape.ts'
import { runInRepository } from '../../forge/actions/run-list-store.ts'
import { artifactsOfRun, type StoredArtifact } from '../../forge/artifacts/artifact-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import type { ForgeContext } from '../../forge/route.ts'
import { found } from '../../http/route/problem.ts'
import { bytesOf, type Html, html, timeOf } from '../html.ts'
import { card } from '../layout.ts'
import { rowOf } from '../list.ts'
import { noticeOf } from '../operations/fields.ts'
import type { Refusal } from '../operations/refusal.ts'
import type { RenderContext } from '../rendered.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { annotationsIn } from './annotations.ts'
import { durationOf } from './duration.ts'
import { environmentIn } from './environment.ts'
import { inPageOrder } from './job-order.ts'
import { artifactForm, mayControl, runForms } from './run-forms.ts'
import { liveNote, stateOf } from './run-state.ts'
import { summariesIn } from './summaries.ts'

/** How many jobs of a run its page shows. */
const maximum = 256
/** To how many attempts it has links, the newest first. */
const maximumAttempts = 50

/**
 * The page of a run, or of one of its attempts, with what a form has done, or why it could not.
 * @throws Problem 404
 */
export async function runPage(
  context: RenderContext & Pick<ForgeContext<OnRepository>, 'caller' | 'now'>,
  run: number,
  { attempt, done, refusal }: { attempt?: number; done?: string | undefined; refusal?: Refusal } = {},
): Promise<string> {
  const { caller, sql, now } = context
  const { host } = context.from
  const { repo } = caller
  const newest = found(await runInRepository(sql, repo.id, run))
  const listed = attempt === undefined ? newest : found(await runInRepository(sql, repo.id, run, attempt))
  const attempts = newest.run.attempt
  const isNewest = listed.run.attempt === attempts
  const printed = printRun(listed, { viewer: caller.me, host })
  const paging = { page: 1, limit: maximum }
  const list = { scope: { repository: repo.id }, paging, by: 'asc', selection: undefined } as const
  const jobs = inPageOrder((await pageOfJobs(sql, list, { run, attempt: listed.run.attempt })).rows)
  const hasLogs = isNewest && (await logsOfRun(sql, repo.id, run)).length > 0
  const artifacts = await artifactsOfRun(sql, run)
  const annotations = await annotationsIn(sql, { run, attempt: listed.run.attempt }, printed.html_url)
  const summaries = await summariesIn(context, { run, attempt: listed.run.attempt })
  const title = `${printed.display_title} #${printed.run_number}`
  const hasForms = isNewest && mayControl(caller)
  const isDone = printed.status === 'completed'
  const main = html`${noticeOf(done, refusal)}
<div id="live"${isDone ? undefined : html` data-running`}>
<div id="head" data-part class="title"><h2>${title} ${stateOf(printed)} ${durationOf(printed, now)}${isNewest ? undefined : html` <span class="badge">attempt ${printed.run_attempt}</span>`}</h2>
${hasForms ? runForms(printed, newest.run) : undefined}</div>
${newest.run.needs_approval && !isDone ? html`<p class="notice" role="note">${awaitsApproval}</p>` : undefined}
${liveNote}
<div class="panel">
${card('jobs', 'Jobs')`<ul class="list">${jobs.map((job) => jobEntry(job, host, now))}
</ul>`}
${artifacts.length > 0 ? artifactCard(artifacts, printed.html_url, hasForms) : undefined}
${card('about', 'About')`<dl class="facts" id="facts" data-part>${factsOf(printed, { attempts, hasLogs })}</dl>`}
</div>
${annotations}${summaries}
</div>`
  return repositoryPage({ host, sql, caller, current: 'actions', title, main, script: 'run' })
}

/** What jobs of the run have kept; of several attempts, the newest of each name. */
const artifactCard = (artifacts: readonly StoredArtifact[], url: string, hasForms: boolean) =>
  card('artifacts', 'Artifacts')`<ul class="list">${artifacts.map(({ id, name, size, expires_at }) =>
    rowOf(
      html`<a href="${url}/artifacts/${id}">${name}</a>`,
      html`${bytesOf(size ?? 0)} · ends ${timeOf(expires_at)}`,
      hasForms ? artifactForm(url, { id, name }) : undefined,
    ),
  )}
</ul>`

const awaitsApproval =
  'The pull request comes from a fork, whose author has merged nothing here yet: somebody who may write to this repository must read what it changes and approve the run.'

function jobEntry(listed: ListedJob, host: string, now: Date): Html {
  const job = printJob(listed, host)
  const { uses } = listed
  const environment = environmentIn(listed)
  const failed =
    job.conclusion === 'failure' ? job.steps.find((step) => step.conclusion === 'failure') : undefined
  return html`
<li id="job-${job.id}" data-part><div class="row"><a href="${job.html_url}">${job.name}</a> <span>${durationOf(job, now)} ${stateOf(job)}</span></div>
${uses === null ? undefined : html`<p class="meta">Calls <code>${uses}</code></p>`}${environment && html`<p class="meta">${environment}</p>`}${failed && html`<p class="meta">Failed in <a href="${job.html_url}#step-${failed.number}">${failed.name}</a></p>`}</li>`
}

/** The attempts of a run, each with a link to its page, except the one that is shown. */
function attemptsOf({ html_url, run_attempt }: WorkflowRun, attempts: number): Html {
  const numbers = Array.from({ length: Math.min(attempts, maximumAttempts) }, (_, at) => attempts - at)
  return html`${numbers.map((number) =>
    number === run_attempt
      ? html`<span aria-current="true">${number}</span> `
      : html`<a href="${number === attempts ? html_url : `${html_url}/attempts/${number}`}">${number}</a> `,
  )}`
}

const factsOf = (run: WorkflowRun, { attempts, hasLogs }: { attempts: number; hasLogs: boolean }) => html`
<dt>Workflow</dt><dd>${run.path.split('@')[0] ?? ''}</dd>
<dt>Event</dt><dd>${run.event}</dd>
<dt>Commit</dt><dd><a href="${run.repository.html_url}/commit/${run.head_sha}"><code>${run.head_sha.slice(0, 10)}</code></a></dd>
${run.head_branch === undefined ? undefined : html`<dt>Branch</dt><dd>${run.head_branch}</dd>`}
<dt>Attempt</dt><dd>${attempts === 1 ? 1 : attemptsOf(run, attempts)}</dd>
<dt>By</dt><dd><a href="${run.actor.html_url}">${run.actor.login}</a></dd>
<dt>Started</dt><dd>${timeOf(run.created_at)}</dd>
${hasLogs ? html`<dt>Logs</dt><dd><a href="${run.html_url}/logs">Download as zip</a></dd>` : undefined}
`
