import { allRows, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { RefUpdate } from '../../git/http/http.ts'

/**
 * A write-ahead journal of pushes whose events are not published yet. The only writer of `forge.push_journal`. A row is
 * inserted before git may move its ref, and the transaction that deletes the row also publishes the event. So the event
 * of each moved ref is published exactly once, whichever process does it; no clock or heartbeat has to tell whether the
 * process of a push is still alive.
 */

/** A push in the journal. */
export interface JournalEntry {
  push: string
  repository_id: number
  account_id: number
  begun_at: string
  /** The request that pushed; null in rows of the release before. */
  request_id: string | null
}

/** The journal entry of a push, inserted before git starts. */
interface PushDraft {
  push: string
  repository: number
  account: number
  updates: readonly RefUpdate[]
  now: Date
  requestId: string
  /** Pushes begun before this moment, before this process started, are published first; null: only those it proves. */
  leftBefore: Date | null
}

/**
 * Inserts a push; undefined when the repository or the account was deleted. Returns the earlier unpublished pushes to
 * the repository that must be published first, the oldest first: those begun before `leftBefore`, and those that must
 * have moved a ref, because this push found the ref where they were to move it.
 */
export async function insertPush(sql: Sql, draft: PushDraft): Promise<JournalEntry[] | undefined> {
  const { push, repository, account, updates, now, requestId, leftBefore } = draft
  const { written, earlier } = await onlyRow(sql<[{ written: number; earlier: JournalEntry[] }]>`
    with input as (
      select ref, before, after, place
      from unnest(
        ${updates.map(({ ref }) => ref)}::text[], ${updates.map(({ before }) => before)}::text[],
        ${updates.map(({ after }) => after)}::text[]
      ) with ordinality as input (ref, before, after, place)
    ), written as (
      insert into forge.push_journal (repository_id, push, place, account_id, ref, before, after, begun_at, request_id)
      select repository.id, ${push}::uuid, place, account.id, ref, before, after, ${now}::timestamptz, ${requestId}
      from input, forge.repository, forge.account
      where repository.id = ${repository} and repository.state = 'ready' and account.id = ${account}
      returning place
    )
    select
      (select count(*) from written) as written,
      (
        select coalesce(json_agg(distinct_entry order by begun_at, push), '[]')
        from (
          select distinct push, repository_id, account_id, begun_at, request_id
          from forge.push_journal as journal
          where repository_id = ${repository} and not is_overtaken and (
            begun_at < ${leftBefore}
            or exists (select from input where input.ref = journal.ref and input.before = journal.after)
          )
        ) as distinct_entry
      ) as earlier`)
  return written === 0 ? undefined : earlier
}

/** At most `limit` pushes that were begun before a moment, the oldest first; with `last`, those after it. */
export const pushesBefore = (sql: Sql, moment: Date, limit: number, last?: JournalEntry) =>
  allRows(sql<JournalEntry[]>`
    select distinct begun_at, push, repository_id, account_id, request_id
    from forge.push_journal
    where begun_at < ${moment}
      and (begun_at, push) > (${last?.begun_at ?? '-infinity'}::timestamptz, ${last?.push ?? firstPush}::uuid)
    order by begun_at, push
    limit ${limit}`)

/** Sorts before the id of every push. */
const firstPush = '00000000-0000-0000-0000-000000000000'

/** The unpublished refs of a push that can be verified on disk, in the order of the push. */
export const unpublishedRefs = (sql: Sql, { push, repository_id }: JournalEntry) =>
  allRows(sql<RefUpdate[]>`
    select ref, before, after
    from forge.push_journal
    where repository_id = ${repository_id} and push = ${push} and not is_overtaken
    order by place`)

/** Refs to publish. */
interface Publication {
  updates: readonly RefUpdate[]
  /** Git itself reported the updates. Without its report the disk is the only proof, and none for superseded refs. */
  isReportedByGit: boolean
  /** The push has ended, so all its rows are deleted. */
  isOver: boolean
}

/**
 * Deletes the rows of refs whose events this transaction publishes; returns the refs that were still unpublished. Rows
 * of other pushes that would move the same ref from the same commit become superseded: the position of the ref no longer
 * proves that they moved it. They stay, because git can still carry them out when the ref is moved back, and then
 * reports it.
 */
export async function deletePublished(
  tx: Tx,
  { push, repository_id }: Pick<JournalEntry, 'push' | 'repository_id'>,
  { updates, isReportedByGit, isOver }: Publication,
): Promise<ReadonlySet<string>> {
  const refs = updates.map(({ ref }) => ref)
  const rows = await allRows(tx<{ ref: string }[]>`
    with deleted as (
      delete from forge.push_journal
      where repository_id = ${repository_id} and push = ${push}
        and (${isOver} or (ref = any(${refs}::text[]) and (${isReportedByGit} or not is_overtaken)))
      returning ref, before, after, is_overtaken
    ), published as (
      select ref, before, after
      from deleted
      where ref = any(${refs}::text[]) and (${isReportedByGit} or not is_overtaken)
    ), overtaken as (
      update forge.push_journal as journal
      set is_overtaken = true
      from published
      where journal.repository_id = ${repository_id} and journal.push <> ${push} and journal.ref = published.ref
        and journal.before = published.before and published.before <> published.after
    )
    select ref from published`)
  return new Set(rows.map(({ ref }) => ref))
}

/** Deletes a push that moved nothing. */
export async function deletePush(
  sql: Sql,
  { push, repository_id }: Pick<JournalEntry, 'push' | 'repository_id'>,
): Promise<void> {
  await sql`
    delete from forge.push_journal
    where repository_id = ${repository_id} and push = ${push}`
}
