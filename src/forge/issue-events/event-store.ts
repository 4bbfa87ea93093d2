import { type Paging, pageOf } from '../../db/page.ts'
import { allRows } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'

/** The types of events that this server records, as the original names them. */
export const eventTypes = [
  'reopen',
  'close',
  'label',
  'milestone',
  'assignees',
  'change_title',
  'added_deadline',
  'modified_deadline',
  'removed_deadline',
  'add_dependency',
  'remove_dependency',
  'lock',
  'unlock',
  'change_issue_ref',
  'pin',
  'unpin',
  'merge_pull',
  'change_target_branch',
  'pull_push',
  'delete_branch',
  'review',
  'dismiss_review',
  'review_request',
  'commit_ref',
  'pull_scheduled_merge',
  'pull_cancel_scheduled_merge',
] as const
export type EventType = (typeof eventTypes)[number]

/** Something that happened to an issue. `0002_forge.sql` explains the members. */
export interface IssueHappening {
  type: EventType
  subject?: number | null
  old_subject?: number | null
  old_text?: string
  new_text?: string
  is_removal?: boolean
}

/** Records what an account did to an issue, in this order. */
export async function recordHappenings(
  tx: Tx,
  { issue, actor }: { issue: number; actor: number },
  happenings: readonly IssueHappening[],
): Promise<void> {
  if (happenings.length === 0) return
  const each = <Value>(pick: (happening: IssueHappening) => Value) => happenings.map(pick)
  await tx`
    insert into forge.issue_event
      (issue_id, type, actor_id, subject_id, old_subject_id, old_text, new_text, is_removal, created_at)
    select ${issue}, type, ${actor}, subject, old_subject, old_text, new_text, is_removal = 'true', ${tx.now}
    from unnest(
      ${each(({ type }) => type)}::text[],
      ${each(({ subject = null }) => subject)}::bigint[], ${each(({ old_subject = null }) => old_subject)}::bigint[],
      ${each(({ old_text = '' }) => old_text)}::text[], ${each(({ new_text = '' }) => new_text)}::text[],
      ${each(({ is_removal = false }) => String(is_removal))}::text[]
    ) with ordinality as happening (type, subject, old_subject, old_text, new_text, is_removal, place)
    order by place`
}

/** Deletes what happened to a thing that belongs to an issue, by the types of its events. */
export async function deleteHappenings(
  tx: Tx,
  { issue, subject, types }: { issue: number; subject: number; types: readonly EventType[] },
): Promise<void> {
  await tx`
    delete from forge.issue_event
    where issue_id = ${issue} and subject_id = ${subject} and type = any(${[...types]}::text[])`
}

/** An event as it is stored. */
export interface StoredEvent {
  id: number
  type: EventType
  actor_id: number
  subject_id: number | null
  old_subject_id: number | null
  old_text: string
  new_text: string
  is_removal: boolean
  created_at: string
}

/** A half-open time range: `from` is included, `until` is not; undefined means unbounded. */
export interface TimeRange {
  from?: Date | undefined
  until?: Date | undefined
}

/** The condition that a time is within a range, preceded by `and`. */
export const within = (sql: Sql, { from, until }: TimeRange, time: Fragment) => sql`
  ${from ? sql`and ${time} >= ${from}` : sql``} ${until ? sql`and ${time} < ${until}` : sql``}`

/** An entry of a timeline. */
interface EntryKey {
  id: number
  is_comment: boolean
}

/** A page of the comments on an issue and of its events, the oldest first; `range` is that of their last changes. */
export const pageOfEntries = (sql: Sql, issue: number, range: TimeRange, paging: Paging) =>
  pageOf<EntryKey>(sql, paging, {
    from: sql`
      from (
        select id, created_at, true as is_comment
        from forge.issue_comment
        where issue_id = ${issue} ${within(sql, range, sql`updated_at`)}
        union all
        select id, created_at, false
        from forge.issue_event
        where issue_id = ${issue} ${within(sql, range, sql`created_at`)}
      ) as entry`,
    columns: sql`id, created_at, is_comment`,
    by: sql`order by created_at, id`,
  })

export const eventsByIds = (sql: Sql, ids: readonly number[]) =>
  allRows(sql<StoredEvent[]>`
    select id, type, actor_id, subject_id, old_subject_id, old_text, new_text, is_removal, created_at
    from forge.issue_event
    where id = any(${[...ids]}::bigint[])`)
