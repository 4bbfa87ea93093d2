import type { CronRow } from '../../background/cron/cron-store.ts'
import { mapPage, pageFrom } from '../../db/page.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { json, noBody, paged } from '../../http/route/sends.ts'
import { record } from '../audit/audit-trail.ts'
import { siteAdmin } from '../auth/access.ts'
import { printTime, ZERO_TIME } from '../protocol/time.ts'
import { route } from '../route.ts'
import { Cron, CronTaskDetail } from './cron.shape.ts'

export const adminCronList = route('GET /admin/cron', {
  summary: 'Tasks with a schedule',
  access: siteAdmin(),
  query: pageQuery(),
  returns: paged(Cron),
  shared: true,
  handler: async ({ query, sql, tools }) => {
    const { tasks } = tools.schedule
    const rowsByName = await tools.schedule.states(sql)
    return mapPage(pageFrom(tasks, query), (task) => print(task, rowsByName.get(task.name)))
  },
})

export const adminGetCron = route('GET /admin/cron/{task}', {
  extension: true,
  summary: 'A task, whether it is running, and the result of its last run',
  access: siteAdmin(),
  fails: [404],
  returns: json(200, CronTaskDetail),
  shared: true,
  handler: async ({ params, sql, tools }) => {
    const task = found(tools.schedule.tasks.find(({ name }) => name === params.task))
    const row = (await tools.schedule.states(sql)).get(task.name)
    return { ...print(task, row), running: row?.is_running ?? false, last: row ? resultOf(row) : null }
  },
})

export const adminCronRun = route('POST /admin/cron/{task}', {
  summary: 'Start a task now, unless it is running',
  access: siteAdmin(),
  fails: [404],
  returns: noBody(204),
  handler: async (context) => {
    const { params, begin, tools } = context
    const { name } = found(tools.schedule.tasks.find((task) => task.name === params.task))
    const claim = await begin(async (tx) => {
      const claimed = await tools.schedule.claim(tx, name)
      if (claimed) await record(tx, context, { action: 'cron.started', target: { kind: 'cron', name } })
      return claimed
    })
    if (claim) tools.schedule.launch(claim)
  },
})

/** `prev` includes milliseconds, because clients compare it with the time of their request. */
function print({ name, schedule }: { name: string; schedule: string }, row: CronRow | undefined) {
  const next = printTime(row?.next_at ?? null, ZERO_TIME)
  return { name, schedule, next, prev: row?.prev_at ?? ZERO_TIME, exec_times: row?.exec_times ?? 0 }
}

function resultOf({ outcome, message, finished_at, duration_ms }: CronRow) {
  if (outcome === null) return null
  return { outcome, message, finished: printTime(finished_at, ZERO_TIME), duration_ms: duration_ms ?? 0 }
}
