import type { CronRow } from '../../background/cron/cron-store.ts'
import type { CronTask } from '../../background/cron/cron-task.ts'
import { adminCronRun } from '../../forge/admin/cron.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { buttonForm } from '../form.ts'
import { counted, type Html, html, noneOf, timeOf, withQuery } from '../html.ts'
import { card, listOf } from '../layout.ts'
import { rowOf } from '../list.ts'
import { perform } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { route } from '../route.ts'
import type { Administrator } from './administrator.ts'
import { adminPage } from './frame.ts'
import { adminForm, adminReply, replyTo } from './reply.ts'

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
  handler: ({ caller, params }) =>
    replyTo(caller, perform(caller, adminCronRun, { params }), {
      path: withQuery('tasks', { done: params.task }),
      again: (refusal) => tasksPage(caller, { refusal }),
    }),
})

async function tasksPage(
  caller: Administrator,
  outcome: { done?: string | undefined; refusal?: Refusal },
): Promise<string> {
  const { tools, sql, from } = caller.request
  const { tasks } = tools.schedule
  const rowsByName = await tools.schedule.states(sql)
  const rows = tasks.map((task) => taskRow(from.host, task, rowsByName.get(task.name)))
  const main = card('tasks', counted(tasks.length, 'task'))`${listOf(rows, noneOf(['task']))}`
  return adminPage({ caller, title: 'Scheduled tasks', section: 'tasks', main, ...outcome })
}

function taskRow(
  host: string,
  task: Pick<CronTask, 'name' | 'schedule' | 'summary'>,
  row: CronRow | undefined,
): Html {
  const { name, schedule, summary } = task
  const times = row?.next_at ? html`${schedule} · next ${timeOf(row.next_at)}` : 'never by itself'
  return rowOf(
    html`<code>${name}</code>`,
    html`${times}${lastOf(row)}`,
    buttonForm(`${host}-/admin/tasks/${name}/run`, 'Start now', `Start now: ${name}`),
    summary,
  )
}

function stateOf(row: CronRow | undefined): Html | undefined {
  if (row?.is_running) return html`<span class="badge">running</span>`
  if (!row?.outcome) return undefined
  return html`<span class="badge${row.outcome === 'succeeded' ? ' good' : ' bad'}">${row.outcome}</span>`
}

function lastOf(row: CronRow | undefined): Html | undefined {
  const state = stateOf(row)
  if (!row?.finished_at) return state && html`<br>${state}`
  const message = row.message === '' ? undefined : html`: <bdi>${row.message}</bdi>`
  return html`<br>${state} ${timeOf(row.finished_at)} after ${row.duration_ms ?? 0} ms${message}`
}
