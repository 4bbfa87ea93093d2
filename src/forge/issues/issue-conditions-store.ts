import { countedTo, type Paging } from '../../db/page.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import type { TrackerUnit } from '../permissions/units.ts'
import { letterClasses } from '../protocol/letter-classes.ts'
import { searchPattern } from '../protocol/search-pattern.ts'
import type { Reader } from '../repos/visibility.ts'
import { readableBy } from '../repos/visibility-store.ts'

/** Filter of an issue list; an undefined member does not filter. */
export interface IssueFilter {
  state: 'open' | 'closed' | 'all'
  /** Pull requests, or others only. */
  isPull?: boolean | undefined
  /** Text to find in the title, the body or a comment; if it is a number, also the number of the issue. */
  q: string
  /** Ids of accounts. */
  poster?: number | undefined
  assignee?: number | undefined
  mentioned?: number | undefined
  /** Pull requests of which the account, or a team of it, is asked for a review. */
  reviewRequested?: number | undefined
  /** Pull requests that the account has reviewed. */
  reviewed?: number | undefined
  /** Last changed at this time or later. */
  from?: Date | undefined
  /** Last changed before this time. */
  until?: Date | undefined
}

/** How many issues at the beginning of a list are read before an index is used. */
export const firstRead = (paging: Paging) => Math.max(3000, 2 * countedTo(paging))

/** With more candidates than this, reading all texts is faster than using the search index. */
export const maxCandidates = 20_000

/** Literal conditions, so that queries match the partial indexes (0002_forge.sql, 0078_pull_requests.sql). */
const states: Readonly<Record<IssueFilter['state'], (sql: Sql) => Fragment>> = {
  open: (sql) => sql`and issue.closed_at is null`,
  closed: (sql) => sql`and issue.closed_at is not null`,
  all: (sql) => sql``,
}

/** Ids of the issues of somebody whom a filter names, the newest first; undefined if it names nobody. */
export function idsOfSomebody(
  sql: Sql,
  {
    assignee,
    mentioned,
    poster,
    reviewed,
  }: Pick<IssueFilter, 'assignee' | 'mentioned' | 'poster' | 'reviewed'>,
): Fragment | undefined {
  if (assignee !== undefined)
    return sql`select issue_id as id from forge.issue_assignee where account_id = ${assignee} order by issue_id desc`
  if (mentioned !== undefined)
    return sql`select issue_id as id from forge.issue_mention where account_id = ${mentioned} order by issue_id desc`
  if (poster !== undefined)
    return sql`select id from forge.issue where poster_id = ${poster} order by id desc`
  if (reviewed !== undefined)
    return sql`select distinct issue_id as id from forge.review where reviewer_id = ${reviewed} order by issue_id desc`
  return undefined
}

/**
 * The filter without its text as conditions on `forge.issue`, each preceded by `and`. Who is assigned or mentioned is a
 * scalar subquery with a limit, asked of one issue after another: for `in`, PostgreSQL may look up all issues of somebody.
 */
export function rowConditions(sql: Sql, filter: Omit<IssueFilter, 'q'>): Fragment {
  const { state, isPull, poster, assignee, mentioned, from, until } = filter
  const none = sql``
  return sql`
    ${reviewConditions(sql, filter)}
    ${states[state](sql)}
    ${isPull === undefined ? none : isPull ? sql`and issue.is_pull` : sql`and not issue.is_pull`}
    ${poster === undefined ? none : sql`and issue.poster_id = ${poster}`}
    ${
      assignee === undefined
        ? none
        : sql`and (
            select true from forge.issue_assignee where issue_id = issue.id and account_id = ${assignee} limit 1
          )`
    }
    ${
      mentioned === undefined
        ? none
        : sql`and (
            select true from forge.issue_mention where issue_id = issue.id and account_id = ${mentioned} limit 1
          )`
    }
    ${from ? sql`and issue.updated_at >= ${from}` : none}
    ${until ? sql`and issue.updated_at < ${until}` : none}`
}

function reviewConditions(
  sql: Sql,
  { reviewRequested, reviewed }: Pick<IssueFilter, 'reviewRequested' | 'reviewed'>,
): Fragment {
  const none = sql``
  const asked = sql`
    select true
    from forge.review
    where issue_id = issue.id and state = 'request'
      and (reviewer_id = ${reviewRequested ?? 0} or team_id in (
        select team_id from forge.team_member where account_id = ${reviewRequested ?? 0}
      ))
    limit 1`
  const done = sql`
    select true
    from forge.review
    where issue_id = issue.id and reviewer_id = ${reviewed ?? 0} and state in ('comment', 'approve', 'reject')
    limit 1`
  return sql`
    ${reviewRequested === undefined ? none : sql`and (${asked})`} ${reviewed === undefined ? none : sql`and (${done})`}`
}

/**
 * A condition preceded by `and`. The comments are a scalar subquery with a limit: PostgreSQL may turn an `exists` under
 * `or` into a scan of all comments.
 */
export function containsText(sql: Sql, q: string): Fragment {
  const search = searchPattern(q)
  if (!search) return sql``
  const { pattern } = search
  const expression = letterClasses(pattern)
  return sql`
    and (
      issue.number = ${numberOf(q) ?? 0}
      or forge.text_like(issue.title, ${pattern}, ${expression})
      or forge.text_like(forge.searched(issue.body), ${pattern}, ${expression})
      or (
        issue.comments_count > 0
        and (
          select true
          from forge.issue_comment as comment
          where comment.issue_id = issue.id
            and forge.text_like(forge.searched(comment.body), ${pattern}, ${expression})
          limit 1
        )
      )
    )`
}

/** A search text as the number of an issue; undefined if it is not a number. */
export const numberOf = (q: string) => (/^\d{1,15}$/.test(q.trim()) ? Number(q) : undefined)

/** Whether the reader may read an `issue` of a `repository`: its unit is turned on and readable. */
export function readableIssue(sql: Sql, reader: Reader): Fragment {
  const reads = (setting: string, unit: TrackerUnit) =>
    sql`coalesce((repository.settings ->> ${setting})::boolean, true) and ${readableBy(sql, reader, unit)}`
  return sql`
    case when issue.is_pull then ${reads('has_pull_requests', 'repo.pulls')} else ${reads('has_issues', 'repo.issues')} end`
}
