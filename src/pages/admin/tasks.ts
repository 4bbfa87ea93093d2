import type { CronRow } from '../../background/cron/cron-store.ts'
import { adminCronRun } from '../../forge/admin/cron.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { buttonForm } from '../form.ts'
import { counted, type Html, html, timeOf, withQuery } from '../html.ts'
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
  const rows = tasks.map(({ name, schedule }) => taskRow(from.host, { name, schedule }, rowsByName.get(name)))
  const main = card('list', counted(tasks.length, 'task'))`${listOf(rows, 'There are none.')}`
  return adminPage({ caller, title: 'Scheduled tasks', section: 'tasks', main, ...outcome })
}

/** What each task does. */
const purposes: Readonly<Record<string, string>> = {
  repo_health_check: 'Reads every object of every repository and reports damaged ones; changes nothing.',
  check_repo_stats: 'Updates sizes and branch counts of repositories from the disk.',
  archive_cleanup: 'Removes unfinished work that a crash left more than a day ago.',
  cleanup_hook_task_table: 'Removes webhook deliveries that ended long ago.',
  cleanup_packages: 'Removes package files that no version uses.',
  cleanup_artifacts: 'Removes artifacts that have expired, and uploads that a job never completed.',
  delete_inactive_accounts: 'Deletes users who have been inactive for a week and own nothing.',
  git_gc_repos: 'Packs repositories.',
  reinit_missing_repos: 'Recreates repositories whose directory is missing, empty.',
  delete_missing_repos: 'Deletes repositories whose directory is missing.',
  stop_zombie_tasks: 'Ends jobs whose runner has not reported for ten minutes.',
  stop_endless_tasks: 'Ends jobs that take longer than the server allows.',
  stop_timed_out_tasks: 'Ends jobs that their runner has not ended at their timeout.',
  cancel_abandoned_jobs: 'Cancels jobs that no runner has taken for a day.',
  cleanup_actions: 'Closes logs that runners left open, and removes old ones.',
  cleanup_actions_runners: 'Removes single-job runners that never took a job.',
  cleanup_actions_runs: 'Removes old runs.',
  repair_repos: 'Completes changes to repositories that a crash interrupted.',
  settle_repos: 'Moves repository directories that a crash left under a former name.',
  repair_pushes: 'Sends webhooks and starts workflows for pushes whose server died.',
  repair_merges: 'Closes pull requests whose server died after it had merged them.',
  delete_old_audit_entries: 'Deletes entries of the audit trail that are more than a year old.',
  end_forgotten_sessions: 'Ends presence sessions that clients did not end.',
  delete_old_mails: 'Deletes what is kept of mails that were sent or given up a month ago.',
  forget_idempotency_keys: 'Deletes stored answers to repeated requests and forms that are a day old.',
  sample_presence: 'Counts present users for the presence chart.',
  publish_scheduled: 'Publishes the posts whose time has come.',
  empty_trash: 'Deletes posts and media that were removed more than 30 days ago.',
}

function taskRow(host: string, task: { name: string; schedule: string }, row: CronRow | undefined): Html {
  const { name, schedule } = task
  const times = row?.next_at ? html`${schedule} · next ${timeOf(row.next_at)}` : 'never by itself'
  return rowOf(
    html`<code>${name}</code> ${stateOf(row)}`,
    html`${purposes[name]}<br>${times}${lastOf(row)}`,
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
