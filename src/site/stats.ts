import * as v from 'valibot'
import type { Sql } from '../db/sql.ts'
import { currentUsersIn, generalIn, recentActivityIn } from './overview.ts'
import { anyone, route } from './route.ts'
import { CurrentUser, Overview } from './stats.shape.ts'

/** Rows in memory at a time while the unlimited list is read. */
const batchSize = 2000

export const getOverview = route('GET /api/stats/overview', {
  summary: 'The overview panel',
  access: anyone,
  returns: [200, Overview],
  shared: 'until written',
  handler: ({ sql }) => overviewPanel(sql),
})

export const listCurrentUsers = route('GET /api/stats/users', {
  summary: 'Who is online: every open session, most recently started first',
  access: anyone,
  returns: [200, v.array(CurrentUser)],
  sends: 'batches',
  shared: 'until written',
  handler: ({ sql }) => allOpenSessions(sql),
})

/**
 * Every open session, by a cursor: one snapshot, never completely in memory. The `limit` forces one look-up per
 * session, so the cost depends on the number of open sessions, not of all visitors.
 */
function allOpenSessions(sql: Sql): AsyncIterable<CurrentUser[]> {
  return sql<CurrentUser[]>`
    select visitor.id, visitor.username, session.started_at
    from site.session
    cross join lateral (
      select id, username
      from site.visitor
      where id = session.visitor_id
      limit 1
    ) as visitor
    where session.ended_at is null
    order by session.started_at desc, session.id desc`.cursor(batchSize)
}

/** The whole panel in one statement: one snapshot and one round trip. */
async function overviewPanel(sql: Sql): Promise<Overview> {
  const [row] = await sql<[{ panel: Overview }]>`
    select row_to_json(panel) as panel
    from (
      select
        ${currentUsersIn(sql)} as "currentUsers",
        ${recentActivityIn(sql)} as "recentActivity",
        ${generalIn(sql)} as general
    ) as panel`
  return row.panel
}
