import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { StoredMilestone } from './milestone-store.ts'

/** Gitea's Milestone, with its members in the order in which they are sent. */
export const Milestone = shape('Milestone', {
  id: int,
  title: v.string(),
  description: v.string(),
  state: v.picklist(['open', 'closed']),
  open_issues: described(int, 'Number of its open issues'),
  closed_issues: described(int, 'Number of its closed issues'),
  created_at: moment,
  updated_at: moment,
  closed_at: described(v.nullable(moment), 'Null while it is open'),
  due_on: described(v.nullable(moment), 'When it is due; null: no due date'),
})
export type Milestone = v.InferOutput<typeof Milestone>

const printed = (time: string | null) => (time === null ? null : printTime(time, EPOCH))

export const printMilestone = (row: StoredMilestone): Milestone => ({
  id: row.id,
  title: row.title,
  description: row.description,
  state: row.closed_at === null ? 'open' : 'closed',
  open_issues: row.open_issues,
  closed_issues: row.closed_issues,
  created_at: printTime(row.created_at, EPOCH),
  updated_at: printTime(row.updated_at, EPOCH),
  closed_at: printed(row.closed_at),
  due_on: printed(row.due_at),
})
