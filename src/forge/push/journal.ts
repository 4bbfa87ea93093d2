import type { Sql, Tx } from '../../db/sql.ts'
import type { RefUpdate } from '../../git/http/http.ts'

/**
 * What pushes have asked for and nobody has told of yet. The only writer of `forge.push_journal`. A row is written before
 * git may move its ref, and whoever removes it tells of the ref, in one transaction: so each moved ref is told of once,
 * whoever comes to it first, and no clock and no sign of life has to say whether the process of a push is still there.
 */

/** A push in the journal. */
export interface JournalEntry {
  push: string
  repository_id: number
  account_id: number
  begun_at: string
}

/** What is written of a push before git is started. */
export interface PushDraft {
  push: string
  repository: number
  account: number
  updates: readonly RefUpdate[]
  now: Date
  /** What was begun before this process and may be untold is to be told first; null: only what this push proves. */
  leftBefore: Date | null
}

/**
 * Writes a push into the journal; undefined when the repository or the account has gone. Gives, the oldest first, the
 * pushes to the repository that are to be told first: those that were begun before `leftBefore`, and those that must have
 * moved a ref, because this one has found it where they were to bring it. Nobody has told of them yet.
 */
export async function insertPush(sql: Sql, draft: PushDraft): Promise<JournalEntry[] | undefined> {
  const { push, repository, account, updates, now, leftBefore } = draft
  const [row] = await sql<[{ written: number; earlier: JournalEntry[] }]>`
    with asked as (
      select ref, before, after, place
      from unnest(
        ${updates.map(({ ref }) => ref)}::text[], ${updates.map(({ before }) => before)}::text[],
        ${updates.map(({ after }) => after)}::text[]
      ) with ordinality as asked (ref, before, after, place)
    ), written as (
      insert into forge.push_journal (repository_id, push, place, account_id, ref, before, after, begun_at)
      select repository.id, ${push}::uuid, place, account.id, ref, before, after, ${now}::timestamptz
      from asked, forge.repository, forge.account
      where repository.id = ${repository} and repository.state = 'ready' and account.id = ${account}
      returning place
    )
    select
      (select count(*) from written) as written,
      (
        select coalesce(json_agg(distinct_entry order by begun_at, push), '[]')
        from (
          select distinct push, repository_id, account_id, begun_at
          from forge.push_journal as journal
          where repository_id = ${repository} and not is_overtaken and (
            begun_at < ${leftBefore}
            or exists (select from asked where asked.ref = journal.ref and asked.before = journal.after)
          )
        ) as distinct_entry
      ) as earlier`
  return row.written === 0 ? undefined : row.earlier
}

/** At most `most` pushes that were begun before a moment, the oldest first; those behind `last` where that is given. */
export async function pushesBefore(
  sql: Sql,
  moment: Date,
  most: number,
  last?: JournalEntry,
): Promise<JournalEntry[]> {
  return await sql<JournalEntry[]>`
    select distinct begun_at, push, repository_id, account_id
    from forge.push_journal
    where begun_at < ${moment}
      and (begun_at, push) > (${last?.begun_at ?? '-infinity'}::timestamptz, ${last?.push ?? firstPush}::uuid)
    order by begun_at, push
    limit ${most}`
}

/** No push has this one. */
const firstPush = '00000000-0000-0000-0000-000000000000'

/** The refs of a push that nobody has told of yet and whose place on the disk would prove it, in its order. */
export async function untoldRefs(sql: Sql, { push, repository_id }: JournalEntry): Promise<RefUpdate[]> {
  return await sql<RefUpdate[]>`
    select ref, before, after
    from forge.push_journal
    where repository_id = ${repository_id} and push = ${push} and not is_overtaken
    order by place`
}

/** What is told of a push. */
export interface Telling {
  updates: readonly RefUpdate[]
  /** Git has said so itself: no look at the disk, which proves nothing of what has been overtaken. */
  isSaid: boolean
  /** The push is over: nothing of it stays. */
  all: boolean
}

/**
 * Removes refs that are told of in this transaction, and gives those that nobody else has told of. What other pushes
 * wanted from the same ref at the same place is overtaken: where the ref stands must not be taken for what they have done.
 * It stays, because they can still come to it when the ref is moved back; then git says so.
 */
export async function deleteTold(
  tx: Tx,
  { push, repository_id }: Pick<JournalEntry, 'push' | 'repository_id'>,
  { updates, isSaid, all }: Telling,
): Promise<ReadonlySet<string>> {
  const refs = updates.map(({ ref }) => ref)
  const rows = await tx<{ ref: string }[]>`
    with gone as (
      delete from forge.push_journal
      where repository_id = ${repository_id} and push = ${push}
        and (${all} or (ref = any(${refs}::text[]) and (${isSaid} or not is_overtaken)))
      returning ref, before, after, is_overtaken
    ), told as (
      select ref, before, after
      from gone
      where ref = any(${refs}::text[]) and (${isSaid} or not is_overtaken)
    ), overtaken as (
      update forge.push_journal as journal
      set is_overtaken = true
      from told
      where journal.repository_id = ${repository_id} and journal.push <> ${push} and journal.ref = told.ref
        and journal.before = told.before and told.before <> told.after
    )
    select ref from told`
  return new Set(rows.map(({ ref }) => ref))
}

/** Forgets a push that moved nothing. */
export async function deletePush(
  sql: Sql,
  { push, repository_id }: Pick<JournalEntry, 'push' | 'repository_id'>,
): Promise<void> {
  await sql`
    delete from forge.push_journal
    where repository_id = ${repository_id} and push = ${push}`
}
