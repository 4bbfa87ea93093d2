import * as v from 'valibot'
import { jsonBytes } from '../db/json.ts'
import { limitOf } from '../db/limit.ts'
import type { Sql } from '../db/sql.ts'
import { RawJson } from '../http/pipeline/raw-json.ts'
import { anyone, route } from './route.ts'
import { defaults } from './statistics.ts'
import { CurrentUser, Overview } from './stats.shape.ts'

/** Maximum entries of each list of the overview (specification, section 8). */
const maxEntries = 20

/** Rows in memory at a time while the unlimited list is read. */
const batchSize = 2000

const overview = route(
  'GET /api/stats/overview',
  {
    operationId: 'getOverview',
    summary: 'The overview panel',
    access: anyone,
    returns: [200, Overview],
    shared: 'until written',
  },
  ({ sql }) => overviewPanel(sql),
)

const currentUsers = route(
  'GET /api/stats/users',
  {
    operationId: 'listCurrentUsers',
    summary: 'Who is online: every open session, most recently started first',
    access: anyone,
    returns: [200, v.array(CurrentUser)],
    sends: 'batches',
    shared: 'until written',
  },
  ({ sql }) => allOpenSessions(sql),
)

export const statsRoutes = [overview, currentUsers]

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
async function overviewPanel(sql: Sql): Promise<RawJson<Overview>> {
  return new RawJson(
    await jsonBytes(sql`
      select row_to_json(panel)
      from (
        select
          array(
            select row_to_json(shown)
            from (
              select visitor.id, visitor.username, site.iso(session.started_at) as started_at
              from site.session
              join site.visitor on visitor.id = session.visitor_id
              where session.ended_at is null
              order by session.started_at desc, session.id desc
              ${limitOf(sql, maxEntries)}
            ) as shown
          ) as "currentUsers",
          array(
            select row_to_json(shown)
            from (
              select entry.id, description, site.iso(entry.created_at) as created_at
              from site.activity_entry as entry
              order by entry.created_at desc, entry.id desc
              ${limitOf(sql, maxEntries)}
            ) as shown
          ) as "recentActivity",
          json_build_object(
            'users', json_build_object(
              'total', (select sum(visitors)::bigint from site.visitor_count),
              'mostRecent', (
                select json_build_object('username', username, 'id', id)
                from site.visitor
                order by joined_at desc, id desc
                limit 1
              )
            ),
            'reports', json_build_object(
              'named', set.reports_named,
              'associated', set.reports_associated,
              'logged', set.reports_logged
            ),
            'build', json_build_object(
              'pipeline', set.build_pipeline,
              'buildNumber', set.build_number,
              'version', set.version
            )
          ) as general
        from jsonb_to_record(
          ${JSON.stringify(defaults)}::text::jsonb
          || (select coalesce(jsonb_object_agg(key, value), '{}') from site.statistic)
        ) as set (
          reports_named text, reports_associated text, reports_logged text,
          build_pipeline text, build_number text, version text
        )
      ) as panel`),
  )
}
