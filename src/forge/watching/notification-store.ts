import type { EventOf } from '../../background/domain-events.ts'
import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, firstRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { mayRead, offerHolds, recipients, unitOfIssue } from '../permissions/access-level-store.ts'
import { mentionedAccounts } from './mentioned-store.ts'

/** Activity on an issue that causes notifications. Accounts and the issue are ids, names are in lower case. */
export type IssueActivity = Omit<EventOf<'issue.activity'>, 'kind'>

export const STATUSES = ['unread', 'read', 'pinned'] as const
export type Status = (typeof STATUSES)[number]
export const SOURCES = ['issue', 'pull', 'commit', 'repository'] as const
type Source = (typeof SOURCES)[number]

/**
 * A notification thread with the current title of its subject. Timestamps are the texts that the connection pool
 * returns.
 */
export interface Thread {
  id: number
  account_id: number
  repository_id: number
  source: Source
  status: Status
  updated_at: string
  commit_id: string | null
  /** Number of the issue; null for other subjects. */
  number: number | null
  title: string | null
  closed_at: string | null
  /** Whether it is a pull request that is merged. */
  is_merged: boolean
  /** Id of the newest comment; null if there is none. */
  last_comment: number | null
}

/** The columns of a `Thread`, for `… from (notification) left join forge.issue on issue.id = notification.issue_id`. */
const threadColumns = (sql: Sql) => sql`
  notification.id, notification.account_id, notification.repository_id, notification.source, notification.status,
  notification.updated_at, notification.commit_id, issue.number, issue.title, issue.closed_at,
  exists (
    select from forge.pull_request
    where issue_id = notification.issue_id and merged_at is not null
  ) as is_merged,
  (
    select max(id)
    from forge.issue_comment
    where issue_id = notification.issue_id
  ) as last_comment`

/** Filter of the threads of an account; an undefined member does not filter. */
export interface ThreadFilter {
  account: number
  repository?: number | undefined
  statuses?: readonly Status[] | undefined
  sources?: readonly Source[] | undefined
  /** Last changed at this time or later. */
  from?: Date | undefined
  /** Last changed before this time. */
  until?: Date | undefined
}

function conditions(
  sql: Sql,
  { account, repository, statuses, sources, from, until }: ThreadFilter,
): Fragment {
  const none = sql``
  return sql`
    account_id = ${account}
    ${repository === undefined ? none : sql`and repository_id = ${repository}`}
    ${statuses ? withStatus(sql, statuses) : none}
    ${sources ? sql`and source = any(${[...sources]}::text[])` : none}
    ${from ? sql`and updated_at >= ${from}` : none}
    ${until ? sql`and updated_at < ${until}` : none}`
}

/** Literal conditions, so that a query without read threads matches the partial index (0002_forge.sql). */
function withStatus(sql: Sql, statuses: readonly Status[]): Fragment {
  const [unread, read, pinned] = STATUSES.map((each) => statuses.includes(each))
  if (unread && read && pinned) return sql``
  if (unread && pinned) return sql`and status in ('unread', 'pinned')`
  if (unread && read) return sql`and status in ('unread', 'read')`
  if (read && pinned) return sql`and status in ('read', 'pinned')`
  if (unread) return sql`and status = 'unread'`
  return pinned ? sql`and status = 'pinned'` : sql`and status = 'read'`
}

/** A page of an account's threads, last changed first, with the total; one statement. */
export const pageOfThreads = (sql: Sql, filter: ThreadFilter, paging: Paging) =>
  pageOf<Thread>(sql, paging, {
    from: sql`from forge.notification where ${conditions(sql, filter)}`,
    keys: sql`id, account_id, repository_id, source, status, updated_at, commit_id, issue_id`,
    rows: sql`
      select ${threadColumns(sql)}
      from page as notification
      left join forge.issue on issue.id = notification.issue_id`,
    by: sql`order by updated_at desc, id desc`,
  })

export const threadById = (sql: Sql, id: number) =>
  firstRow(sql<Thread[]>`
    select ${threadColumns(sql)}
    from forge.notification
    left join forge.issue on issue.id = notification.issue_id
    where notification.id = ${id}`)

/** How many threads of an account are unread. */
export async function countUnread(sql: Sql, account: number): Promise<number> {
  const { unread } = await onlyRow(sql<[{ unread: number }]>`
    select count(*)::bigint as unread
    from forge.notification
    where account_id = ${account} and status = 'unread'`)
  return unread
}

/**
 * Sets the status of threads of an account. Threads that have this status already count as changed, too. Returns them
 * in their list order before the change. Like all code that locks threads, this locks them by account and issue: a user
 * who marks threads may wait for a writer, but a writer never waits for someone who waits for that user.
 */
export const markThreads = (tx: Tx, filter: ThreadFilter, status: Status) =>
  allRows(tx<Thread[]>`
    with chosen as (
      select id, updated_at
      from forge.notification
      where ${conditions(tx, filter)}
      order by issue_id, id
      for no key update
    ),
    notification as (
      update forge.notification
      set status = ${status}, updated_at = ${tx.now}
      from chosen
      where notification.id = chosen.id
      returning notification.id, notification.account_id, notification.repository_id, notification.source,
        notification.status, notification.updated_at, notification.commit_id, notification.issue_id,
        chosen.updated_at as before
    )
    select ${threadColumns(tx)}
    from notification
    left join forge.issue on issue.id = notification.issue_id
    order by notification.before desc, notification.id desc`)

/** Sets the status of one thread of an account; undefined if the account has no thread with this id. */
export const markThread = (
  tx: Tx,
  { id, account_id: account }: Pick<Thread, 'id' | 'account_id'>,
  status: Status,
) =>
  firstRow(tx<Thread[]>`
    with notification as (
      update forge.notification
      set status = ${status}, updated_at = ${tx.now}
      where id = ${id} and account_id = ${account}
      returning id, account_id, repository_id, source, status, updated_at, commit_id, issue_id
    )
    select ${threadColumns(tx)}
    from notification
    left join forge.issue on issue.id = notification.issue_id`)

/** Marks the unread thread of an account about an issue as read; gives how many were unread: 0 or 1. */
export async function markIssueRead(
  tx: Tx,
  { account, issue }: { account: number; issue: number },
): Promise<number> {
  const { count } = await tx`
    update forge.notification
    set status = 'read', updated_at = ${tx.now}
    where account_id = ${account} and issue_id = ${issue} and status = 'unread'`
  return count
}

/** Locks the threads about several issues, in the lock order of `markThreads`, before they are written one by one. */
export async function lockIssueThreads(sql: Sql, issues: readonly number[]): Promise<void> {
  // Issues first: a deletion of an issue locks the issue before its threads.
  await sql`
    select from forge.issue
    where id = any(${[...issues]}::bigint[])
    order by id
    for key share`
  await sql`
    select from forge.notification
    where issue_id = any(${[...issues]}::bigint[])
    order by account_id, issue_id
    for no key update`
}

/**
 * Notifies all accounts that an activity on an issue concerns and that may read it. Inserts one thread per account,
 * or updates the existing one: a read thread becomes unread, a pinned one stays pinned.
 */
export async function insertIssueThreads(sql: Sql, activity: IssueActivity, now: Date): Promise<void> {
  const { issue, actor } = activity
  const concerned = receivers(sql, activity)
  if (concerned.length === 0) return
  await sql`
    with issue as (
      select id, repository_id, poster_id, is_pull
      from forge.issue
      where id = ${issue}
      -- Before any thread, as a deletion does.
      for key share
    ),
    receiver (id) as (${concerned.reduce((left, right) => sql`${left} union ${right}`)})
    insert into forge.notification as thread
      (account_id, repository_id, source, issue_id, status, updated_at, updated_by)
    select account.id, repository.id, case when issue.is_pull then 'pull' else 'issue' end, issue.id, 'unread', ${now}, ${actor}::bigint
    from receiver
    join forge.account on account.id = receiver.id
    cross join issue
    join forge.repository on repository.id = issue.repository_id
    where account.id <> ${actor} and account.kind <> 'organization' and account.is_active
      and not account.prohibit_login and repository.state = 'ready' and ${mayRead(sql, unitOfIssue(sql))}
    order by account.id
    on conflict (issue_id, account_id) where issue_id is not null
    do update set status = case thread.status when 'pinned' then 'pinned' else 'unread' end,
      updated_at = excluded.updated_at, updated_by = excluded.updated_by`
}

/**
 * Statements that select ids of the accounts concerned. Only those that the activity needs, so that PostgreSQL keeps one
 * plan of `insertIssueThreads` instead of making one for each event.
 */
export function receivers(sql: Sql, { issue, audience, names, accounts }: IssueActivity): Fragment[] {
  const statements: Fragment[] = []
  if (audience) statements.push(audienceOf(sql, issue))
  if (names.length > 0) statements.push(mentionedAccounts(sql, names, sql`(select repository_id from issue)`))
  if (accounts.length > 0) statements.push(sql`select id from unnest(${[...accounts]}::bigint[]) as id`)
  return statements
}

/**
 * The watchers of an issue or of its repository and the participants, without those who unsubscribed from the issue.
 */
const audienceOf = (sql: Sql, issue: number) => sql`
  (
    select account_id from forge.issue_watch where issue_id = ${issue} and is_watching
    union
    select account_id from forge.repository_watch where repository_id = (select repository_id from issue)
    union
    select poster_id from issue
    union
    select poster_id from forge.issue_comment where issue_id = ${issue}
    except
    select account_id from forge.issue_watch where issue_id = ${issue} and not is_watching
  )`

/**
 * Notifies those who may accept the transfer of a repository; a new thread each time, none if the offer is gone or does
 * not hold any more.
 */
export async function insertTransferThreads(sql: Sql, repository: number, now: Date): Promise<void> {
  await sql`
    insert into forge.notification (account_id, repository_id, source, updated_at, updated_by)
    select account.id, repository_transfer.repository_id, 'repository', ${now}, repository_transfer.doer_id
    from forge.repository_transfer
    join forge.repository on repository.id = repository_transfer.repository_id and ${offerHolds(sql)}
    join forge.account on account.id in (${recipients(sql)})
    where repository_transfer.repository_id = ${repository} and account.id <> repository_transfer.doer_id
      and account.kind <> 'organization' and account.is_active and not account.prohibit_login
    order by account.id`
}

/** Deletes the threads about repositories that are being deleted; the repository row may exist for a while longer. */
export async function deleteThreadsOfRepositories(tx: Sql, ids: readonly number[]): Promise<void> {
  await tx`
    delete from forge.notification
    where repository_id = any(${[...ids]}::bigint[])`
}
