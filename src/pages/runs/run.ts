import { logsOfRun } from '../../forge/actions/job-log-store.ts'
import { sendLogs } from '../../forge/actions/run-log.ts'
import { artifactOfRepository } from '../../forge/artifacts/artifact-list-store.ts'
import { artifactContent } from '../../forge/artifacts/download.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { actionsSeen } from '../../forge/repos/access.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { streamed } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { pageReply } from '../profile.ts'
import { route } from '../route.ts'
import { runPage } from './run-page.ts'

export const getRunPage = route('GET /{owner}/{repo}/actions/runs/{run}', {
  ...pageReply,
  summary: 'A run of a workflow with its jobs, as a page',
  access: actionsSeen(),
  params: { run: id },
  query: { done: queryText },
  handler: ({ params, query, ...context }) => runPage(context, params.run, { done: notices.get(query.done) }),
})

export const getRunAttemptPage = route('GET /{owner}/{repo}/actions/runs/{run}/attempts/{attempt}', {
  ...pageReply,
  summary: 'An attempt of a run with its jobs, as a page',
  access: actionsSeen(),
  params: { run: id, attempt: id },
  handler: ({ params: { run, attempt }, ...context }) => runPage(context, run, { attempt }),
})

const notices: ReadonlyMap<string, string> = new Map([
  ['approve', 'The run starts.'],
  ['cancel', 'The run is being cancelled.'],
  ['rerun', 'All jobs run again.'],
  ['rerun-failed-jobs', 'The jobs that had failed run again.'],
  ['rerun-job', 'The job runs again, and those that need it.'],
  ['delete-artifact', 'The artifact was deleted.'],
])

/** What the API answers, for those who have a session in a browser. */
export const getRunLogs = route('GET /{owner}/{repo}/actions/runs/{run}/logs', {
  summary: 'The logs of a run, as a zip archive',
  access: actionsSeen(),
  params: { run: id },
  fails: [404],
  returns: streamed(200),
  handler: async ({ caller, params, sql }) => {
    const logs = await logsOfRun(sql, caller.repo.id, params.run)
    if (logs.length === 0) throw notFound()
    return sendLogs(sql, params.run, logs)
  },
})

/** The content of an artifact, for those who have a session in a browser. */
export const getRunArtifact = route('GET /{owner}/{repo}/actions/runs/{run}/artifacts/{artifact_id}', {
  summary: 'The content of an artifact; a set of files as a zip archive',
  access: actionsSeen(),
  params: { run: id, artifact_id: id },
  fails: [404, 503],
  also: [206, 304, 416],
  returns: streamed(200),
  handler: async (context) => {
    const { caller, params, sql } = context
    const artifact = found(await artifactOfRepository(sql, caller.repo.id, params.artifact_id))
    if (artifact.run_id !== params.run) throw notFound()
    return artifactContent(context, artifact)
  },
})
