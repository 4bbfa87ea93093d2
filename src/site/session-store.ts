import { batch } from '../db/batch.ts'
import { type Paging, pageOf } from '../db/page.ts'
import { allRows, firstRow, onlyRow, rowCount } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import type { CurrentUser } from './site.shape.ts'

/**
 * Starts a session for each name, in one statement with others that wait at the same time; unknown names become
 * visitors. Visitors are written in the order of their names, so that two batches cannot deadlock. The ids of the
 * sessions are generated first: they tie each session to the position of its request.
 */
export const insertSession = batch((sql: Sql, starts: readonly { username: string; at: Date }[]) =>
  allRows(sql<{ sessionId: number; userId: number }[]>`
    with start as materialized (
      select nextval('site.session_id_seq') as id, username, at, position
      from unnest(
        ${starts.map((start) => start.username)}::text[],
        ${starts.map((start) => start.at.toISOString())}::timestamptz[]
      ) with ordinality as input (username, at, position)
    ),
    seen as (
      insert into site.visitor as stored (username, joined_at, last_seen_at)
      select username, min(at), max(at)
      from start
      group by username
      order by username
      on conflict (username) do update
      set last_seen_at = greatest(stored.last_seen_at, excluded.last_seen_at)
      returning id, username
    ),
    opened as (
      insert into site.session (id, visitor_id, started_at)
      overriding system value
      select start.id, seen.id, start.at
      from start
      join seen using (username)
      returning id, visitor_id
    )
    select opened.id as "sessionId", opened.visitor_id as "userId"
    from opened
    join start using (id)
    order by start.position`),
)

/** Ends an open session; undefined if there is none. Of two concurrent callers, only one gets the session. */
export const endOpenSession = (sql: Sql, session: number, now: Date) =>
  firstRow(sql<{ id: number }[]>`
    update site.session
    set ended_at = greatest(started_at, ${now})
    where id = ${session} and ended_at is null
    returning id`)

/** Ends all sessions that started before a moment; returns how many. */
export const endSessionsBefore = (sql: Sql, before: Date, now: Date) =>
  rowCount(sql`
    update site.session
    set ended_at = greatest(started_at, ${now})
    where started_at < ${before} and ended_at is null`)

/** An open session. */
interface OpenSession {
  id: number
  username: string
  started_at: string
}

/** A page of all open sessions, the oldest first. */
export const pageOfOpenSessions = (sql: Sql, paging: Paging) =>
  pageOf<OpenSession>(sql, paging, {
    from: sql`from site.session where ended_at is null`,
    keys: sql`id, started_at`,
    rows: sql`
      select page.id, visitor.username, page.started_at
      from page
      join site.session using (id)
      join site.visitor on visitor.id = session.visitor_id`,
    by: sql`order by started_at, id`,
  })

/** How many sessions are open. */
export async function countOpenSessions(sql: Sql): Promise<number> {
  const { count } = await onlyRow(sql<[{ count: number }]>`
    select count(*) as count
    from site.session
    where ended_at is null`)
  return count
}

/** The name of the user whose session this is, open or ended. */
export async function usernameOf(sql: Sql, session: number): Promise<string> {
  const { username } = await onlyRow(sql<[{ username: string }]>`
    select visitor.username
    from site.session
    join site.visitor on visitor.id = session.visitor_id
    where session.id = ${session}`)
  return username
}

/** The 20 newest open sessions. */
export const newestSessions = (sql: Sql) =>
  allRows(sql<OpenSession[]>`
    select session.id, visitor.username, session.started_at
    from site.session
    join site.visitor on visitor.id = session.visitor_id
    where session.ended_at is null
    order by session.started_at desc, session.id desc
    limit 20`)

/**
 * Every open session, by a cursor: one snapshot, never completely in memory. The `limit` forces one look-up per
 * session, so the cost depends on the number of open sessions, not of all visitors.
 */
export function allOpenSessions(sql: Sql): AsyncIterable<CurrentUser[]> {
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

/** Rows in memory at a time while the unlimited list is read. */
const batchSize = 2000
