import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '../../../src/db/sql.ts'
import {
  commentById,
  pageOfComments,
  pageOfRepositoryComments,
} from '../../../src/forge/issues/comment-store.ts'
import { pageOfIssues, type RepositoryIssueFilter } from '../../../src/forge/issues/issue-list-store.ts'
import { issueByNumber } from '../../../src/forge/issues/issue-store.ts'
import {
  type IssueSearchFilter,
  pageOfIssuesEverywhere,
} from '../../../src/forge/issues/search/issue-search-store.ts'
import { pageOfLabels } from '../../../src/forge/labels/label-store.ts'
import { milestoneNamed, pageOfMilestones } from '../../../src/forge/milestones/milestone-store.ts'
import {
  countUnread,
  insertIssueThreads,
  pageOfThreads,
  type Status,
  threadById,
} from '../../../src/forge/watching/notification-store.ts'
import { isSubscribed, pageOfIssueWatchers, pageOfWatchers } from '../../../src/forge/watching/watch-store.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { makersFor } from '../../support/forge/make.ts'
import { plansOf, vacuumed } from '../../support/plans.ts'

const { pool, clock, database } = await startApp()
const make = makersFor({ pool, clock })
const ada = await make.person({ name: 'ada' })
const repo = await make.repository(ada)
const now = clock.now()
const skip = onServer
  ? false
  : 'plans of the embedded database cannot be asked for on a connection of its own'

const counted = ['issue', 'issue_comment', 'repository_watch']

/** 400 people in 40 repositories with 500 issues each; everybody has 50 threads, Ada 2,000. Nothing is counted. */
async function fillUp(): Promise<{ issue: number; comment: number; milestone: number }> {
  for (const table of counted) await pool.unsafe(`alter table forge.${table} disable trigger user`)
  await pool`
    insert into forge.account (kind, name, created_at, updated_at)
    select 'person', 'p' || n, ${now}, ${now} from generate_series(1, 400) as n`
  await pool`
    insert into forge.repository (owner_id, name, folder_owner, folder_name, state, is_private, default_branch,
      object_format, created_at, updated_at)
    select ${ada.id}, 'r' || n, 'ada', 'r' || n, 'ready', false, 'main', 'sha1', ${now}, ${now}
    from generate_series(1, 40) as n`
  await pool`
    insert into forge.issue (repository_id, number, poster_id, title, created_at, updated_at, closed_at)
    select repository.id, n, ${ada.id}, 'issue ' || n, ${now}, ${now}, case when n % 10 > 0 then ${now}::timestamptz end
    from forge.repository, generate_series(1, 500) as n`
  await pool`
    insert into forge.issue_comment (issue_id, repository_id, poster_id, body, created_at, updated_at)
    select id, repository_id, poster_id, 'comment', ${now}, ${now} from forge.issue`
  await pool`
    insert into forge.repository_watch (repository_id, account_id, created_at)
    select repository.id, account.id, ${now}
    from forge.repository, forge.account
    on conflict do nothing`
  await pool`
    insert into forge.issue_assignee (issue_id, account_id)
    select issue.id, account.id
    from forge.account
    join forge.issue on issue.id % 400 = account.id % 400`
  await pool`
    insert into forge.issue_watch (issue_id, account_id, is_watching)
    select issue.id, account.id, true
    from forge.account
    join forge.issue on issue.id % 400 = account.id % 400`
  await pool`
    insert into forge.repository_label (repository_id, name, color)
    select id, 'l' || n, 'ffffff' from forge.repository, generate_series(1, 50) as n`
  await pool`
    insert into forge.issue_label (issue_id, label_id, repository_id)
    select issue.id, label.id, issue.repository_id
    from forge.issue
    join forge.repository_label as label on label.repository_id = issue.repository_id and label.id % 50 = issue.id % 50`
  await pool`
    insert into forge.notification (account_id, repository_id, source, issue_id, status, updated_at)
    select account.id, issue.repository_id, 'issue', issue.id,
      case when issue.id % 10 = 0 then 'unread' when issue.id % 10 = 1 then 'pinned' else 'read' end,
      ${now}::timestamptz - issue.id * interval '1 second'
    from forge.account
    join forge.issue on case when account.id = ${ada.id} then issue.id % 10 = 0 else issue.id % 400 = account.id % 400 end`
  await pool`
    insert into forge.milestone (repository_id, title, description, created_at, updated_at)
    select id, 'm' || n, '', ${now}, ${now} from forge.repository, generate_series(1, 50) as n`
  await pool`
    update forge.issue
    set milestone_id = milestone.id
    from forge.milestone
    where milestone.repository_id = issue.repository_id and milestone.title = 'm' || issue.id % 50`
  await vacuumed(
    pool,
    'account',
    'issue',
    'milestone',
    'issue_comment',
    'notification',
    'repository_watch',
    'issue_watch',
    'issue_assignee',
  )
  const [row] = await pool<[{ issue: number; comment: number; milestone: number }]>`
    select issue_id as issue, id as comment, (select min(id) from forge.milestone) as milestone
    from forge.issue_comment
    order by id
    limit 1`
  return row
}

const first = { page: 1, limit: 50 }
const every: RepositoryIssueFilter = { repository: repo.id, state: 'all', q: '', labels: [] }
const all: IssueSearchFilter = { state: 'open', q: '', labels: [], milestones: [] }
const reader = { me: { id: ada.id, is_admin: false, is_restricted: false }, publicOnly: false }
const threads = { account: ada.id }
const statuses: readonly Status[] = ['unread', 'pinned']

test('lists of the tracker read indexes with one statement each, or two if issues are filtered', {
  skip,
}, async () => {
  const { issue, comment, milestone } = await fillUp()
  // As in a repository with many issues, where the search index is used.
  await pool`update forge.repository set last_issue = last_issue + 5000 where id = ${repo.id}`
  const time = { from: new Date(now.getTime() - 1000), until: now }
  for (const [name, work] of Object.entries<(sql: Sql) => Promise<unknown>>({
    'threads by default': (sql) => pageOfThreads(sql, { ...threads, statuses }, first),
    'all threads': (sql) => pageOfThreads(sql, threads, first),
    'threads that were read': (sql) => pageOfThreads(sql, { ...threads, statuses: ['read'] }, first),
    'unread threads in a time': (sql) =>
      pageOfThreads(sql, { ...threads, statuses: ['unread'], ...time }, first),
    'threads about a repository': (sql) =>
      pageOfThreads(sql, { ...threads, statuses, repository: repo.id }, first),
    'threads about issues': (sql) => pageOfThreads(sql, { ...threads, statuses, sources: ['issue'] }, first),
    'a thread': (sql) => threadById(sql, 1),
    'count of what is unread': (sql) => countUnread(sql, ada.id),
    'recipients of an issue notification': (sql) =>
      insertIssueThreads(sql, { issue, actor: 0, audience: true, names: ['p1'], accounts: [1] }, now),
    'open issues': (sql) => pageOfIssues(sql, { ...every, state: 'open' }, first),
    'closed issues': (sql) => pageOfIssues(sql, { ...every, state: 'closed' }, first),
    'all issues': (sql) => pageOfIssues(sql, every, first),
    'issues of a milestone': (sql) => pageOfIssues(sql, { ...every, milestones: [milestone] }, first),
    'issues of milestones by title': (sql) =>
      pageOfIssuesEverywhere(sql, reader, { ...all, milestones: ['m1'] }, first),
    milestones: (sql) => pageOfMilestones(sql, repo.id, { state: 'open', name: '' }, first),
    'a milestone': (sql) => milestoneNamed(sql, repo.id, { id: milestone, title: '' }),
    'issues with labels': (sql) => pageOfIssues(sql, { ...every, labels: ['l1'] }, first),
    'issues with two labels': (sql) => pageOfIssues(sql, { ...every, labels: ['l1', 'l2'] }, first),
    'issues of somebody': (sql) =>
      pageOfIssues(sql, { ...every, poster: ada.id, assignee: ada.id + 1 }, first),
    'issues that mention somebody': (sql) => pageOfIssues(sql, { ...every, mentioned: ada.id }, first),
    'issues found': (sql) => pageOfIssues(sql, { ...every, q: '499' }, first),
    'an issue': (sql) => issueByNumber(sql, repo.id, 7),
    comments: (sql) => pageOfComments(sql, issue, {}, first),
    'comments of a repository': (sql) => pageOfRepositoryComments(sql, repo.id, time, first),
    'issues of all repositories': (sql) =>
      pageOfIssuesEverywhere(sql, reader, { ...all, mentioned: ada.id }, first),
    'a comment': (sql) => commentById(sql, repo.id, comment),
    labels: (sql) => pageOfLabels(sql, { repository: repo.id }, 'alphabetically', first),
    'labels by issues': (sql) => pageOfLabels(sql, { repository: repo.id }, 'mostissues', first),
    watchers: (sql) => pageOfWatchers(sql, repo.id, first),
    subscribers: (sql) => pageOfIssueWatchers(sql, issue, first),
    'whether an account is subscribed to an issue': (sql) => isSubscribed(sql, issue, ada.id),
  })) {
    const plans = await plansOf(database, work)
    assert.ok(plans.length <= (name.startsWith('issues ') ? 2 : 1), name)
    const plan = plans.join('\n')
    const whole =
      /Seq Scan on (issue|milestone|issue_comment|notification|repository_watch|issue_watch|issue_label|issue_assignee)\b/
    assert.doesNotMatch(plan, whole, `${name}\n${plan}`)
    if (name === 'threads by default') assert.match(plan, /Index Only Scan using notification_open\b/, plan)
    if (name === 'count of what is unread')
      assert.match(plan, /Index Only Scan using notification_open\b/, plan)
    if (name === 'open issues') assert.match(plan, /using issue_open\b/, plan)
  }
})
