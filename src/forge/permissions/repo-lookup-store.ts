import type { Fragment, Sql } from '../../db/sql.ts'
import type { Account } from '../accounts/account-store.ts'
import { levelIn, packageLevel } from './access-level-store.ts'
import { type Part, type TrackerUnit, UNITS, type Unit, unitOf } from './units.ts'

/** What of the look-up of a request (`auth/lookup-store.ts`) is about repositories. */

/** A repository as access rules see it, with the access level of the account in the same row. */
export interface Repo {
  id: number
  name: string
  /** The current owner, which differs from the account in the path if that one formerly had the repository. */
  owner: Pick<Account, 'id' | 'name' | 'visibility'>
  is_private: boolean
  is_archived: boolean
  /** A number of `LEVELS`, not counting what everyone may do. */
  level: number
  /** Which units are not turned off for the repository. */
  has_code: boolean
  has_issues: boolean
  has_pull_requests: boolean
  has_actions: boolean
  has_releases: boolean
  /** Of the tracker: the unit of the issue in the path; null if the path names none. */
  unit?: TrackerUnit | null
  /**
   * Where a part needs more than one unit, the levels in them: the tracker has two, and pull requests show code.
   * `level` is that of `unit`, or else the highest.
   */
  levels?: UnitLevels
}

type UnitLevels = Readonly<Partial<Record<Unit, number>>>

/** Levels in the same units. */
export const levelsOf = (levels: UnitLevels, levelIn: (unit: Unit, level: number) => number): UnitLevels =>
  Object.fromEntries(
    UNITS.flatMap((unit) => (levels[unit] === undefined ? [] : [[unit, levelIn(unit, levels[unit])]])),
  )

/** A repository with these levels in its units. */
export const withLevels = (repo: Repo, levels: UnitLevels): Repo => ({
  ...repo,
  levels,
  level: repo.unit ? (levels[repo.unit] ?? 0) : Math.max(...Object.values(levels)),
})

/** The issue or comment in a path about the tracker, by number or id as the client wrote it. */
export type TrackerItem = { readonly issue: string } | { readonly comment: string }

/** The target of a path: an account; the organization of a team; or the owner of a repository. */
export type Subject =
  | AccountSubject
  | { readonly team: number }
  | { readonly repositoryId: number; readonly part?: Part; readonly item?: TrackerItem }

/**
 * An account by its name key, optionally with one of its repositories (and a `part` of it other than the code), with a
 * repository to be created (`creates`) or with its packages.
 */
export interface AccountSubject {
  readonly name: string
  readonly repository?: string
  readonly part?: Part
  readonly item?: TrackerItem
  readonly creates?: true
  readonly packages?: true
}

/** Selected only if the path is about a repository or packages. A former name leads to the repository that had it. */
export function repositoryFor(sql: Sql, subject: Subject | undefined) {
  if (!subject || 'team' in subject) return sql``
  if ('name' in subject && subject.creates) return mayCreate(sql)
  if ('name' in subject && subject.packages) return packageLevel(sql)
  if ('name' in subject && subject.repository === undefined) return sql``
  const named =
    'repositoryId' in subject
      ? sql`select ${subject.repositoryId}::bigint as id`
      : sql`
          select id
          from forge.repository
          where owner_id = (select id from subject) and key = ${subject.repository ?? ''}
          union all
          select repository_id
          from forge.repository_redirect
          where owner_id = (select id from subject) and key = ${subject.repository ?? ''}`
  return sql`
    (
      select json_build_object('id', repository.id, 'name', repository.name, 'is_private', repository.is_private,
        'is_archived', repository.is_archived, ${levelsFor(sql, subject)},
        'has_code', coalesce((repository.settings ->> 'has_code')::boolean, true),
        'has_issues', coalesce((repository.settings ->> 'has_issues')::boolean, true),
        'has_pull_requests', coalesce((repository.settings ->> 'has_pull_requests')::boolean, true),
        'has_actions', coalesce((repository.settings ->> 'has_actions')::boolean, not repository.is_template),
        'has_releases', coalesce((repository.settings ->> 'has_releases')::boolean, true),
        'owner', (
          select json_build_object('id', owner.id, 'name', owner.name, 'visibility', owner.visibility)
          from forge.account as owner
          where owner.id = repository.owner_id
        ))
      from forge.repository
      where id in (${named}) and state = 'ready'
      limit 1
    ) as repository,`
}

/** The members of a `Repo` about levels. */
function levelsFor(sql: Sql, { part, item }: { part?: Part; item?: TrackerItem }): Fragment {
  const level = (unit?: Unit) => sql`coalesce(${levelIn(sql, sql`account.id`, unit)}, 0)`
  if (part === 'repo.pulls')
    return sql`
      'unit', 'repo.pulls',
      'levels', json_build_object('repo.code', ${level('repo.code')}, 'repo.pulls', ${level('repo.pulls')})`
  if (part !== 'tracker') return sql`'level', ${level(part && unitOf(part))}`
  const unit = item
    ? sql`(select case when is_pull then 'repo.pulls' else 'repo.issues' end from forge.issue where ${isItem(sql, item)})`
    : sql`null::text`
  const levels = sql`'repo.issues', ${level('repo.issues')}, 'repo.pulls', ${level('repo.pulls')}`
  return sql`'unit', ${unit}, 'levels', json_build_object(${levels})`
}

/** Whether an `issue` is that of a path, or has the comment of a path. No issue has the number 0. */
function isItem(sql: Sql, item: TrackerItem): Fragment {
  const number = (text: string) => (/^[0-9]{1,15}$/.test(text) ? Number(text) : 0)
  return 'issue' in item
    ? sql`issue.repository_id = repository.id and issue.number = ${number(item.issue)}`
    : sql`
        issue.repository_id = repository.id
        and issue.id = (select issue_id from forge.issue_comment where id = ${number(item.comment)})`
}

const mayCreate = (sql: Sql) => sql`
    exists (
      select from forge.team_member
      join forge.team on team.id = team_member.team_id
      where team_member.organization_id = (select id from subject) and team_member.account_id = account.id
        and team.can_create_repositories
    ) as creates,`
