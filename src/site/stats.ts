import * as v from 'valibot'
import type { Sql } from '../db/sql.ts'
import { newestActivity } from './activity.ts'
import { anyone, route } from './route.ts'
import { allStatistics } from './statistics.ts'
import { CurrentUser, Overview } from './stats.shape.ts'

/** Most entries of each list of the overview (specification, section 8). */
const most = 20

/** Rows in memory at one time while the uncapped list is read. */
const batchSize = 2000

const overview = route(
  'GET /api/stats/overview',
  { summary: 'The overview panel', access: anyone, returns: [200, Overview], shared: true },
  async ({ sql }) => {
    const [currentUsers, recentActivity, users, statistics] = await Promise.all([
      newestOpenSessions(sql, most),
      newestActivity(sql, most),
      visitorTotals(sql),
      allStatistics(sql),
    ])
    return { currentUsers, recentActivity, general: { users, ...generalOf(statistics) } }
  },
)

const currentUsers = route(
  'GET /api/stats/users',
  {
    summary: 'Who is online: every open session, most recently started first',
    access: anyone,
    returns: [200, v.array(CurrentUser)],
    sends: 'batches',
    shared: true,
  },
  ({ sql }) => allOpenSessions(sql),
)

export const statsRoutes = [overview, currentUsers]

function generalOf(statistics: Awaited<ReturnType<typeof allStatistics>>) {
  return {
    reports: {
      named: statistics.reports_named,
      associated: statistics.reports_associated,
      logged: statistics.reports_logged,
    },
    build: {
      pipeline: statistics.build_pipeline,
      buildNumber: statistics.build_number,
      version: statistics.version,
    },
  }
}

/** Open sessions with their visitors, as a statement that is not yet sent. */
function openSessions(sql: Sql, count: number | null) {
  return sql<CurrentUser[]>`
    select visitor.id, visitor.username, session.started_at
    from site.session
    join site.visitor on visitor.id = session.visitor_id
    where session.ended_at is null
    order by session.started_at desc, session.id desc
    limit ${count}`
}

async function newestOpenSessions(sql: Sql, count: number): Promise<CurrentUser[]> {
  return await openSessions(sql, count)
}

/** All of them, by a cursor: one snapshot, never all in memory. */
const allOpenSessions = (sql: Sql): AsyncIterable<CurrentUser[]> => openSessions(sql, null).cursor(batchSize)

/** The kept count of visitors, and the one who joined last. */
async function visitorTotals(sql: Sql): Promise<Overview['general']['users']> {
  const [row] = await sql<[{ total: number; id: number | null; username: string | null }]>`
    select kept.total, newest.id, newest.username
    from (select sum(visitors)::bigint as total from site.visitor_count) as kept
    left join (
      select id, username
      from site.visitor
      order by joined_at desc, id desc
      limit 1
    ) as newest on true`
  const { total, id, username } = row
  return { total, mostRecent: id === null || username === null ? null : { username, id } }
}
