import * as v from 'valibot'
import { shape } from '../http/route/validate.ts'
import { int, timestamp } from '../http/route/values.ts'

/** CurrentUser: one open session; `id` is the user's (specification, section 4). */
export const CurrentUser = shape('CurrentUser', { id: int, username: v.string(), started_at: timestamp })
export type CurrentUser = v.InferOutput<typeof CurrentUser>

export const ActivityEntry = shape('ActivityEntry', {
  id: int,
  description: v.string(),
  created_at: timestamp,
})
export type ActivityEntry = v.InferOutput<typeof ActivityEntry>

export const Overview = shape('Overview', {
  currentUsers: v.array(CurrentUser),
  recentActivity: v.array(ActivityEntry),
  general: v.object({
    users: v.object({
      total: int,
      mostRecent: v.nullable(v.object({ username: v.string(), id: int })),
    }),
    reports: v.object({ named: v.string(), associated: v.string(), logged: v.string() }),
    build: v.object({ pipeline: v.string(), buildNumber: v.string(), version: v.string() }),
  }),
})
export type Overview = v.InferOutput<typeof Overview>
