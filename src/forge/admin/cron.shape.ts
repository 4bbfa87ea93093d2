import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { int } from '../../http/route/values.ts'

/** A date-time of RFC 3339. */
const moment = v.string()

const members = { name: v.string(), schedule: v.string(), next: moment, prev: moment, exec_times: int }

/** A scheduled task. */
export const Cron = shape('Cron', members)

/** The last finished run of a task. Our extension; Gitea keeps no results. */
const CronResult = v.object({
  outcome: v.picklist(['succeeded', 'failed', 'interrupted']),
  message: v.string(),
  finished: moment,
  duration_ms: int,
})

/** A task, whether it is running, and the result of its last run. Our extension. */
export const CronTaskDetail = shape('CronTaskDetail', {
  ...members,
  running: v.boolean(),
  last: v.nullable(CronResult),
})
