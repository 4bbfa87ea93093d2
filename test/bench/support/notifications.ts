import type { Pool } from '../../../src/db/sql.ts'
import { onDatabase, type Place } from './fill.ts'
import { insertCaller } from './users.ts'

/** Threads of the one who has many. */
export const HEAP = 10_000
/** Who watches the repository in which an issue is opened. */
export const WATCHERS = 1000

/** Threads of everybody else, as far as the rows reach. */
const each = 100
const repositories = 100
const issues = 20_000

/** Tokens of somebody with a hundred threads, of somebody with many, and of whoever owns the repositories. */
export interface Filled {
  reader: string
  heap: string
  author: string
  /** The one that is watched. */
  repository: string
}

/** Fills a database with so many threads. */
export async function fillNotifications(place: Place, rows: number): Promise<Filled> {
  return onDatabase(place, async (pool) => {
    const [reader, heap, author] = await Promise.all(
      ['reader', 'heap', 'bench'].map((name) => insertCaller(pool, name, false)),
    )
    await insertThreads(pool, rows)
    for (const table of [
      'account',
      'repository',
      'issue',
      'issue_comment',
      'repository_watch',
      'notification',
    ])
      await pool.unsafe(`vacuum analyze forge.${table}`)
    return { reader: reader ?? '', heap: heap ?? '', author: author ?? '', repository: 'r1' }
  })
}

/** Row by row the counters would be most of the time; they are not what is measured. */
const counted = ['issue', 'issue_comment', 'repository_watch']

async function insertThreads(pool: Pool, rows: number): Promise<void> {
  const people = Math.max(WATCHERS, Math.floor(rows / each))
  await pool.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    for (const table of counted) await tx.unsafe(`alter table forge.${table} disable trigger user`)
    for (const statement of statements(people)) await tx.unsafe(statement)
    for (const table of counted) await tx.unsafe(`alter table forge.${table} enable trigger user`)
  })
}

const at = (n: string) => `timestamptz '2026-01-31 08:00:00Z' - ${n} * interval '1 second'`

function statements(people: number): string[] {
  const owner = `(select id from forge.account where key = 'bench')`
  return [
    `insert into forge.account (kind, name, created_at, updated_at)
     select 'person', 'p' || n, ${at('n')}, ${at('n')} from generate_series(1, ${people}) as n`,
    `insert into forge.repository (owner_id, name, folder_owner, folder_name, state, is_private, default_branch,
       object_format, last_issue, open_issues, watchers_count, created_at, updated_at)
     select ${owner}, 'r' || n, 'bench', 'r' || n, 'ready', false, 'main', 'sha1', ${issues}, ${issues}, ${WATCHERS},
       ${at('n')}, ${at('n')}
     from generate_series(1, ${repositories}) as n`,
    `insert into forge.issue (repository_id, number, poster_id, title, body, created_at, updated_at)
     select repository.id, n, ${owner}, 'It leaks, number ' || n, 'Everywhere.', ${at('n')}, ${at('n')}
     from generate_series(1, ${issues}) as n
     join forge.repository on repository.name = 'r' || (1 + n % ${repositories})`,
    `insert into forge.issue_comment (issue_id, poster_id, body, created_at, updated_at)
     select id, poster_id, 'Still does.', created_at, created_at from forge.issue`,
    `insert into forge.repository_watch (repository_id, account_id, created_at)
     select repository.id, account.id, ${at('account.id')}
     from forge.repository, forge.account
     where repository.name = 'r1' and account.name ~ '^p[0-9]+$' and substr(account.name, 2)::integer <= ${WATCHERS}`,
    threadsOf(`account.name ~ '^p[0-9]+$' or account.name = 'reader'`, each),
    threadsOf(`account.name = 'heap'`, HEAP),
  ]
}

/** Spread over all issues; of ten threads seven are read, two unread, one pinned. Who has many has not read any. */
function threadsOf(which: string, count: number): string {
  const status =
    count === HEAP
      ? `'unread'`
      : `case when n % 10 < 7 then 'read' when n % 10 < 9 then 'unread' else 'pinned' end`
  return `
    insert into forge.notification (account_id, repository_id, source, issue_id, status, updated_at)
    select account.id, issue.repository_id, 'issue', issue.id, ${status}, ${at('(account.id * 7919 + n * 104729) % 10000000')}
    from forge.account
    cross join generate_series(1, ${count}) as n
    join forge.issue on issue.id = 1 + (account.id * 37 + n * 101) % ${issues}
    where ${which}`
}
