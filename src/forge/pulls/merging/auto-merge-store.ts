import { randomUUID } from 'node:crypto'
import { allRows, anyRow, firstRow } from '../../../db/rows.ts'
import type { Sql, Tx } from '../../../db/sql.ts'

/** The only writer of merges that wait until nothing is against them. */

/** What is to be merged, and how. */
interface AutoMergeDraft {
  issue_id: number
  account_id: number
  style: string
  /** Of the message; "": the usual one. */
  title: string
  message: string
  /** Null: as the repository says. */
  deletes_branch: boolean | null
}

/** A merge that a process tries. */
export interface DueMerge extends AutoMergeDraft {
  claim: string
  number: number
  /** The head that the schedule is about: who may not write cancels the schedule by a push. */
  head_commit: string
  base_branch: string
  issue_title: string
  repository_id: number
  /** The names of the repository and its owner. */
  repository: string
  owner: string
}

/** Schedules a merge, which is due at once; false: there is one already. */
export const insertAutoMerge = (tx: Tx, draft: AutoMergeDraft) =>
  anyRow(tx`
    insert into forge.pull_auto_merge
      (issue_id, account_id, style, title, message, deletes_branch, created_at, due_at)
    values (${draft.issue_id}, ${draft.account_id}, ${draft.style}, ${draft.title}, ${draft.message},
      ${draft.deletes_branch}, ${tx.now}, ${tx.now})
    on conflict on constraint pull_auto_merge_pkey do nothing
    returning issue_id`)

/** Who has scheduled the merge of a pull request; undefined: nobody. */
export const autoMergeOf = (sql: Sql, issue: number) =>
  firstRow(sql<{ account_id: number }[]>`
    select account_id
    from forge.pull_auto_merge
    where issue_id = ${issue}`)

/** Returns whether one was scheduled. */
export const deleteAutoMerge = (tx: Tx, issue: number) =>
  anyRow(tx`
    delete from forge.pull_auto_merge
    where issue_id = ${issue}
    returning issue_id`)

/** Lets processes look at the scheduled merges of repositories, and of those that run jobs. */
export async function noticeAutoMerges(
  sql: Sql,
  { repositories, jobs = [] }: { repositories: readonly number[]; jobs?: readonly number[] },
  now: Date,
): Promise<void> {
  if (repositories.length + jobs.length === 0) return
  await sql`
    update forge.pull_auto_merge as merge
    set due_at = ${now}
    from forge.pull_request as pull
    where pull.issue_id = merge.issue_id
      and (pull.repository_id = any(${[...repositories]}::bigint[])
        or pull.repository_id in (select repository_id from forge.action_job where id = any(${[...jobs]}::bigint[])))`
}

/** Lets processes look at all scheduled merges: also a rule or a permission may have changed. */
export async function noticeAllAutoMerges(sql: Sql, now: Date): Promise<void> {
  await sql`
    update forge.pull_auto_merge
    set due_at = ${now}
    where due_at is null`
}

/** Claims due merges for this process; `until`: when others take over. */
export const claimAutoMerges = (sql: Sql, { limit, now, until }: { limit: number; now: Date; until: Date }) =>
  allRows(sql<DueMerge[]>`
    with due as materialized (
      select issue_id
      from forge.pull_auto_merge
      where due_at <= ${now}
      order by due_at, issue_id
      for update skip locked
      limit ${limit}
    )
    update forge.pull_auto_merge as merge
    set claim = ${randomUUID()}, due_at = ${until}
    from due
    join forge.issue on issue.id = due.issue_id
    join forge.pull_request as pull on pull.issue_id = due.issue_id
    join forge.repository on repository.id = issue.repository_id
    join forge.account as owner on owner.id = repository.owner_id
    where merge.issue_id = due.issue_id
    returning merge.issue_id, merge.account_id, merge.style, merge.title, merge.message, merge.deletes_branch, merge.claim,
      issue.number, issue.title as issue_title, pull.head_commit, pull.base_branch, issue.repository_id,
      repository.name as repository, owner.name as owner`)

/** Ends the work on a claimed merge, unless something has happened meanwhile: then it is due already. */
export async function releaseAutoMerge(
  sql: Sql,
  { issue_id, claim, until }: { issue_id: number; claim: string; until: Date },
  dueAt: Date | null,
): Promise<void> {
  await sql`
    update forge.pull_auto_merge
    set claim = null, due_at = case when due_at = ${until}::timestamptz(3) then ${dueAt}::timestamptz(3) else due_at end
    where issue_id = ${issue_id} and claim = ${claim}`
}
