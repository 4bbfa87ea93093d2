import { maskedText } from '../../actions/runner/log-lines.ts'
import { maskFor } from '../../actions/runner/task-mask.ts'
import { taskById } from '../../actions/runner/task-store.ts'
import { found, notFound, Problem } from '../../http/route/problem.ts'
import { streamed } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { route } from '../route.ts'
import { requireSameRun, runningJob } from './access.ts'
import { receiveSmall } from './parts.ts'
import { Received } from './pipelines.shape.ts'
import { countOtherSummaries, putSummary } from './summary-store.ts'

/** Runners cut what a step has written (`GITHUB_STEP_SUMMARY`) to this many bytes, as on GitHub. */
const maxBytes = 1024 * 1024

/** Steps of one job that may write something, as many as GitHub shows. */
const maxSummaries = 20

/** What a runner sends of each step that has written something, if the server declares `job-summary` to it. */
export const uploadSummary = route('PUT /_apis/pipelines/workflows/{run}/jobs/{job}/steps/{step}/summary', {
  summary: 'Store what a step of a job has written for readers, as Markdown',
  access: runningJob(),
  params: { job: id },
  fails: [404, 408, 413],
  returns: streamed(200, Received),
  handler: ({ caller, params, begin, sql, tools }) => {
    requireSameRun(caller, params.run)
    if (params.job !== caller.job_id) throw notFound('the token belongs to another job')
    const step = /^\d{1,6}$/.test(params.step) ? Number(params.step) : -1
    return async (req, res) => {
      const text = (await receiveSmall({ req, res }, maxBytes)).toString()
      const mask = await maskFor(sql, found(await taskById(sql, caller.id)), tools)
      const content = await maskedText(text, mask)
      await begin(async (tx) => {
        if ((await countOtherSummaries(tx, caller, step)) >= maxSummaries)
          throw new Problem(413, `a job has at most ${maxSummaries} summaries`)
        if (!(await putSummary(tx, caller, step, content))) throw notFound('the job has no such step')
      })
      const bytes = JSON.stringify({ message: 'success' })
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length }).end(bytes)
    }
  },
})
