import * as v from 'valibot'
import { int } from '../../http/route/values.ts'

/** A date-time of RFC 3339. */
const moment = v.string()

const members = { name: v.string(), schedule: v.string(), next: moment, prev: moment, exec_times: int }

/** A task with a schedule. */
export const Cron = v.object(members)

/** The last run of a task that came to an end. Ours; the original keeps no results. */
const CronResult = v.object({
  outcome: v.picklist(['succeeded', 'failed', 'interrupted']),
  message: v.string(),
  finished: moment,
  duration_ms: int,
})

/** A task, whether it runs now, and what became of it the last time. Ours. */
export const CronTaskDetail = v.object({ ...members, running: v.boolean(), last: v.nullable(CronResult) })
