import { limitOf } from '../db/limit.ts'
import { onlyRow } from '../db/rows.ts'
import type { Fragment, Sql } from '../db/sql.ts'
import type { Overview } from './site.shape.ts'
import { defaults } from './statistic-store.ts'

// The members of Overview (specification, section 4) as SQL expressions.

/** Maximum entries of each list of the overview (specification, section 8). */
const maxEntries = 20

/** An array of JSON objects: the rows of a query, whose columns are their members. */
export const objectsOf = (sql: Sql, rows: Fragment): Fragment => sql`
  array(
    select row_to_json(shown)
    from (${rows}) as shown
  )`

/** An array of JSON objects: the open sessions, most recently started first. */
export const currentUsersIn = (sql: Sql): Fragment =>
  objectsOf(
    sql,
    sql`
      select visitor.id, visitor.username, site.iso(session.started_at) as started_at
      from site.session
      join site.visitor on visitor.id = session.visitor_id
      where session.ended_at is null
      order by session.started_at desc, session.id desc
      ${limitOf(sql, maxEntries)}`,
  )

/** An array of JSON objects: the newest entries. */
export const recentActivityIn = (sql: Sql): Fragment =>
  objectsOf(
    sql,
    sql`
      select entry.id, description, site.iso(entry.created_at) as created_at
      from site.activity_entry as entry
      order by entry.created_at desc, entry.id desc
      ${limitOf(sql, maxEntries)}`,
  )

/** A JSON object: users, and the statistics or their default values. */
export const generalIn = (sql: Sql): Fragment => sql`
  (
    select json_build_object(
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
    )
    from jsonb_to_record(
      ${JSON.stringify(defaults)}::text::jsonb
      || (select coalesce(jsonb_object_agg(key, value), '{}') from site.statistic)
    ) as set (
      reports_named text, reports_associated text, reports_logged text,
      build_pipeline text, build_number text, version text
    )
  )`

/** The whole panel in one statement: one snapshot and one round trip. */
export async function overviewPanel(sql: Sql): Promise<Overview> {
  const { panel } = await onlyRow(sql<[{ panel: Overview }]>`
    select row_to_json(panel) as panel
    from (
      select
        ${currentUsersIn(sql)} as "currentUsers",
        ${recentActivityIn(sql)} as "recentActivity",
        ${generalIn(sql)} as general
    ) as panel`)
  return panel
}
