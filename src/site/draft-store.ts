import { limitOf } from '../db/limit.ts'
import { allRows, firstRow, onlyRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import type { PostFormat } from './news-store.ts'

/** A post before its publication. */
export interface DraftText {
  title: string
  content: string
  format: PostFormat
  /** When the server publishes it; null: not scheduled. */
  publish_at: Date | null
}

/** A stored draft. */
export interface StoredDraft extends Omit<DraftText, 'publish_at'> {
  id: number
  publish_at: string | null
  /** Counts changes. */
  version: number
  updated_at: string
}

/** Drafts without their texts, last changed first. */
export const listDrafts = (sql: Sql, count: number) =>
  allRows(sql<Omit<StoredDraft, 'content' | 'format'>[]>`
    select id, left(title, 500) as title, publish_at, version, updated_at
    from site.news_draft
    order by updated_at desc, id desc
    ${limitOf(sql, count)}`)

export const draftById = (sql: Sql, draft: number) =>
  firstRow(sql<StoredDraft[]>`
    select id, title, content, format, publish_at, version, updated_at
    from site.news_draft
    where id = ${draft}`)

export const insertDraft = (sql: Sql, { title, content, format, publish_at }: DraftText, at: Date) =>
  onlyRow(sql<[StoredDraft]>`
    insert into site.news_draft (title, content, format, publish_at, updated_at)
    values (${title}, ${content}, ${format}, ${publish_at}, ${at})
    returning id, title, content, format, publish_at, version, updated_at`)

/** Changes a draft; undefined if there is none, or if it has another version. */
export const updateDraft = (
  sql: Sql,
  draft: number,
  { title, content, format, publish_at, version }: DraftText & { version: number },
  at: Date,
) =>
  firstRow(sql<StoredDraft[]>`
    update site.news_draft
    set title = ${title}, content = ${content}, format = ${format}, publish_at = ${publish_at},
      version = version + 1, updated_at = ${at}
    where id = ${draft} and version = ${version}
    returning id, title, content, format, publish_at, version, updated_at`)

/** Deletes a draft; undefined if there is none, or if it has another version than `version`. */
export const deleteDraft = (sql: Sql, draft: number, version?: number) =>
  firstRow(sql<StoredDraft[]>`
    delete from site.news_draft
    where id = ${draft} and version = coalesce(${version ?? null}::integer, version)
    returning id, title, content, format, publish_at, version, updated_at`)

/**
 * Deletes and returns at most `limit` drafts that are due, in the order of their times. Each goes to one of several
 * transactions; if that one does not commit, to another.
 */
export const takeDueDrafts = (sql: Sql, now: Date, limit: number) =>
  allRows(sql<StoredDraft[]>`
    with due as (
      select id
      from site.news_draft
      where publish_at <= ${now}
      order by publish_at, id
      limit ${limit}
      for update skip locked
    ),
    taken as (
      delete from site.news_draft
      where id in (select id from due)
      returning id, title, content, format, publish_at, version, updated_at
    )
    select id, title, content, format, publish_at, version, updated_at
    from taken
    order by taken.publish_at, id`)
