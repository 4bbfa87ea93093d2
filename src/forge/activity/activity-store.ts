import { allRows } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'

/** Something that was opened, published or made in a repository. */
export interface Activity {
  kind: 'issue' | 'pull' | 'release' | 'repository'
  owner: string
  name: string
  /** The number of the issue or pull request, or the tag of the release; "" of a repository. */
  key: string
  title: string
  /** Its beginning. */
  body: string
  at: string
  /** The name of who did it; null: the account was deleted. */
  actor: string | null
}

/** How much of each text is read, in characters. */
const maxCharacters = 4_000

/** Of an account, how many of each kind are read before those that not everybody may see are left out. */
const maxRead = 300

/** The newest issues and pull requests that are `shown`; `by`: the column by which an index has them in order. */
const newestIssues = (sql: Sql, shown: Fragment, by: 'id' | 'number', count: number) => sql`
  (select case when is_pull then 'pull' else 'issue' end as kind, repository_id, number::text as key, title,
    left(body, ${maxCharacters}) as body, created_at, poster_id as actor_id
  from forge.issue
  where ${shown}
  order by ${sql(by)} desc
  limit ${count})`

/** The newest releases that are `shown` and no drafts. */
const newestReleases = (sql: Sql, shown: Fragment, count: number) => sql`
  (select 'release' as kind, repository_id, tag_name as key, case name when '' then tag_name else name end as title,
    left(body, ${maxCharacters}) as body, created_at, author_id as actor_id
  from forge.release
  where ${shown} and not is_draft
  order by created_at desc, id desc
  limit ${count})`

const hasPart = (sql: Sql, setting: string) =>
  sql`coalesce((repository.settings ->> ${setting})::boolean, true)`

const withNames = (sql: Sql, activity: Fragment, shown: Fragment, count: number) => sql<Activity[]>`
  select activity.kind, owner.name as owner, repository.name, activity.key, activity.title, activity.body,
    activity.created_at as at, actor.name as actor
  from (${activity}) as activity
  join forge.repository on repository.id = activity.repository_id
  join forge.account as owner on owner.id = repository.owner_id
  left join forge.account as actor on actor.id = activity.actor_id
  ${shown}
  order by activity.created_at desc, activity.kind, activity.key desc
  limit ${count}`

/** What of a repository is shown. */
interface Parts {
  issues: boolean
  pulls: boolean
  releases: boolean
}

/** The newest issues, pull requests and releases of a repository that are no drafts, the newest first. */
export const activityIn = (sql: Sql, repository: number, { issues, pulls, releases }: Parts, count: number) =>
  allRows(
    withNames(
      sql,
      sql`
        ${newestIssues(
          sql,
          sql`repository_id = ${repository} and ((${issues} and not is_pull) or (${pulls} and is_pull))`,
          'number',
          issues || pulls ? count : 0,
        )}
        union all
        ${newestReleases(sql, sql`repository_id = ${repository}`, releases ? count : 0)}`,
      sql``,
      count,
    ),
  )

/**
 * The newest repositories of an account, and what it has opened and published in any, the newest first; only what everybody
 * may see.
 */
export const activityOf = (sql: Sql, account: number, count: number) =>
  allRows(
    withNames(
      sql,
      sql`
        ${newestIssues(sql, sql`poster_id = ${account}`, 'id', maxRead)}
        union all
        ${newestReleases(sql, sql`author_id = ${account}`, maxRead)}
        union all
        (select 'repository', id, '', name, left(description, ${maxCharacters}), created_at, owner_id
        from forge.repository
        where owner_id = ${account}
        order by id desc
        limit ${maxRead})`,
      sql`
        where not repository.is_private and owner.visibility = 'public' and repository.state = 'ready'
          and case activity.kind
            when 'issue' then ${hasPart(sql, 'has_issues')}
            when 'pull' then ${hasPart(sql, 'has_code')} and ${hasPart(sql, 'has_pull_requests')}
            when 'release' then ${hasPart(sql, 'has_releases')}
            else true end`,
      count,
    ),
  )
