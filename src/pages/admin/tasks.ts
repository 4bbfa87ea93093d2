import type { CronRow } from '../../background/cron/cron-store.ts'
import { adminCronRun } from '../../forge/admin/cron.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { counted, type Html, html, timeOf } from '../html.ts'
import { listOf } from '../layout.ts'
import { route } from '../route.ts'
import { buttonForm } from './fields.ts'
import { adminPage } from './frame.ts'
import { rowOf } from './list.ts'
import { type Administrator, perform } from './operation.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { adminForm, adminReply, outcomeOf } from './reply.ts'

export const getAdminTasksPage = route('GET /-/admin/tasks', {
  ...adminReply,
  summary: 'Scheduled tasks with their last results, as a page',
  query: { done: queryText },
  handler: ({ caller, query: { done } }) =>
    tasksPage(caller, { done: done === '' ? undefined : `${done} was started, unless it was running.` }),
})

export const startTask = route('POST /-/admin/tasks/{task}/run', {
  ...adminForm,
  summary: 'Start a task now, unless it is running',
  handler: async ({ caller, params }) => {
    const refusal = await refusalOf(perform(caller, adminCronRun, { params }))
    const done = new URLSearchParams({ done: params.task })
    return outcomeOf(caller, refusal, `tasks?${done}`, (refused) => tasksPage(caller, { refusal: refused }))
  },
})

async function tasksPage(
  caller: Administrator,
  outcome: { done?: string | undefined; refusal?: Refusal },
): Promise<string> {
  const { tools, sql, from } = caller.request
  const { tasks } = tools.schedule
  const rowsByName = await tools.schedule.known(sql)
  const rows = tasks.map(({ name, schedule }) => taskRow(from.host, { name, schedule }, rowsByName.get(name)))
  const main = html`<section class="card" aria-labelledby="list">
<h2 id="list">${counted(tasks.length, 'task')}</h2>
${listOf(rows, 'There are none.')}
</section>`
  return adminPage({ caller, title: 'Scheduled tasks', section: 'tasks', main, ...outcome })
}

function taskRow(host: string, task: { name: string; schedule: string }, row: CronRow | undefined): Html {
  const { name, schedule } = task
  const times = row?.next_at ? html`${schedule} · next ${timeOf(row.next_at)}` : 'never by itself'
  return rowOf(
    html`<code>${name}</code> ${stateOf(row)}`,
    html`${times}${lastOf(row)}`,
    buttonForm(`${host}-/admin/tasks/${name}/run`, 'Start now', `Start now: ${name}`),
  )
}

function stateOf(row: CronRow | undefined): Html | undefined {
  if (row?.is_running) return html`<span class="badge">running</span>`
  if (!row?.outcome) return undefined
  return html`<span class="badge${row.outcome === 'succeeded' ? ' good' : ' bad'}">${row.outcome}</span>`
}

function lastOf(row: CronRow | undefined): Html | undefined {
  if (!row?.finished_at) return undefined
  const message = row.message === '' ? undefined : html`<br><bdi>${row.message}</bdi>`
  return html`<br>Last ended ${timeOf(row.finished_at)} after ${row.duration_ms ?? 0} ms${message}`
}
