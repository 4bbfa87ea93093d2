import { limitOf } from '../../db/limit.ts'
import { onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { currentUsersIn, generalIn, objectsOf, recentActivityIn } from '../overview-store.ts'
import { presenceWindow } from '../presence-store.ts'

/** Maximum entries of news and media (the defaults of the specification, section 8), and of counted sessions. */
const maxRows = { news: 20, media: 24, sessions: 1000 }

/** Maximum characters of titles and texts, and of addresses: events stay small whatever is published. */
const maxLength = { text: 500, url: 2000 }

/** The sections of the panel, each as JSON text of one line. The names are those of the events. */
export interface PanelTexts {
  currentUsers: string
  online: string
  news: string
  media: string
  recentActivity: string
  general: string
  presence: string
}

/** Reads all sections in one statement: one snapshot and one round trip, whatever has changed. */
export const readPanel = (sql: Sql, now: Date) =>
  onlyRow(sql<[PanelTexts]>`
    select
      array_to_json(${currentUsersIn(sql)})::text as "currentUsers",
      array_to_json(${recentActivityIn(sql)})::text as "recentActivity",
      ${generalIn(sql)}::text as general,
      array_to_json(${newsIn(sql)})::text as news,
      array_to_json(${mediaIn(sql)})::text as media,
      array_to_json(${presenceIn(sql, now)})::text as presence,
      (
        select row_to_json(shown)
        from (
          select count(distinct visitor_id) as users, count(*) = ${maxRows.sessions} as "orMore"
          from (
            select visitor_id
            from site.session
            where ended_at is null
            order by started_at desc, id desc
            ${limitOf(sql, maxRows.sessions)}
          ) as newest
        ) as shown
      )::text as online`)

const newsIn = (sql: Sql): Fragment =>
  objectsOf(
    sql,
    sql`
      select post.id, left(title, ${maxLength.text}) as title, left(content, ${maxLength.text}) as excerpt, format,
        site.iso(post.created_at) as created_at
      from site.news_post as post
      order by post.created_at desc, post.id desc
      ${limitOf(sql, maxRows.news)}`,
  )

const mediaIn = (sql: Sql): Fragment =>
  objectsOf(
    sql,
    sql`
      select item.id, left(title, ${maxLength.text}) as title, media_type,
        left(description, ${maxLength.text}) as description, item.picture,
        case when length(url) <= ${maxLength.url} then url else '' end as url,
        site.iso(item.created_at) as created_at
      from site.media_item as item
      order by item.created_at desc, item.id desc
      ${limitOf(sql, maxRows.media)}`,
  )

const presenceIn = (sql: Sql, now: Date): Fragment =>
  objectsOf(
    sql,
    sql`
      select site.iso(sample.at) as at, users
      from site.presence_sample as sample
      where sample.at > ${new Date(now.getTime() - presenceWindow)}
      order by sample.at`,
  )
