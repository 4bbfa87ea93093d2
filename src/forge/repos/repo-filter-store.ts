import type { Fragment, Sql } from '../../db/sql.ts'
import { hasRepository } from '../permissions/access-level-store.ts'
import { matches, searchPattern } from '../protocol/search-pattern.ts'
import { sharedWith } from './visibility-store.ts'

/** Filter of a repository list; undefined members filter nothing. */
export interface RepositoryFilter {
  q?: string
  /** Matches one of these. */
  anyOf?: readonly TextSearch[] | undefined
  /** Owned by this account. */
  owner?: number
  /** Of this name, in lower case. */
  key?: string
  /** Assigned to this team. */
  team?: number
  /** Starred by this account. */
  starredBy?: number
  among?: RepositoriesOfAccount
  is_private?: boolean | undefined
  template?: boolean | undefined
  fork?: boolean | undefined
  mirror?: true
  /** Owned by any other account. */
  notOwner?: number
  /** A fork of this repository. */
  parent?: number
  archived?: boolean | undefined
  /** Has at least one of these topics. */
  topics?: readonly string[] | undefined
}

/** A text that a repository matches: in its name, or in its description, or as owner and name. */
export interface TextSearch {
  text: string
  owner?: string | undefined
  inDescription?: boolean
}

/**
 * The repositories that an account owns or that are shared with it (`of`), those that it has starred, or
 * those that it watches.
 */
type RepositoriesOfAccount = { of: number } | { starredBy: number } | { watchedBy: number }

/** Ids of these repositories. */
export function idsAmong(sql: Sql, among: RepositoriesOfAccount): Fragment {
  if ('of' in among) return sharedWith(sql, among.of)
  if ('starredBy' in among)
    return sql`
      select repository_id as id
      from forge.repository_star
      where account_id = ${among.starredBy}`
  return sql`
    select repository_id as id
    from forge.repository_watch
    where account_id = ${among.watchedBy}`
}

/** Whether a team has the `repository`. */
export function ofTeam(sql: Sql, team: number): Fragment {
  return sql`exists (
    select from forge.team
    where team.id = ${team} and team.organization_id = repository.owner_id and ${hasRepository(sql)}
  )`
}

/** Conditions of a filter on `repository`, each after an `and`. */
export function conditions(sql: Sql, filter: RepositoryFilter): Fragment {
  const { q, key, owner, team, among, is_private, template, fork, parent, archived, mirror, notOwner } =
    filter
  const search = searchPattern(q ?? '')
  const { anyOf, starredBy } = filter
  const none = sql``
  return sql`
    ${owner === undefined ? none : sql`and repository.owner_id = ${owner}`}
    ${key === undefined ? none : sql`and repository.key = ${key}`}
    ${team === undefined ? none : sql`and ${ofTeam(sql, team)}`}
    ${among === undefined ? none : sql`and repository.id in (${idsAmong(sql, among)})`}
    ${is_private === undefined ? none : sql`and repository.is_private = ${is_private}`}
    ${template === undefined ? none : sql`and repository.is_template = ${template}`}
    ${fork === undefined ? none : fork ? sql`and repository.parent_id is not null` : sql`and repository.parent_id is null`}
    ${mirror ? sql`and false` : none}
    ${notOwner === undefined ? none : sql`and repository.owner_id <> ${notOwner}`}
    ${parent === undefined ? none : sql`and repository.parent_id = ${parent}`}
    ${archived === undefined ? none : sql`and repository.is_archived = ${archived}`}
    ${starredBy === undefined ? none : sql`and repository.id in (${idsAmong(sql, { starredBy })})`}
    ${anyOf === undefined ? none : sql`and ${matchesAny(sql, anyOf)}`}
    ${search ? sql`and repository.key like ${search.pattern} escape ''` : none}`
}

/** Whether a `repository` matches one of these texts; an empty one matches each. */
const matchesAny = (sql: Sql, texts: readonly TextSearch[]): Fragment =>
  texts.map((text) => matchesText(sql, text)).reduce((all, each) => sql`(${all} or ${each})`)

function matchesText(sql: Sql, { text, owner, inDescription }: TextSearch): Fragment {
  const search = searchPattern(text)
  if (!search) return owner === undefined ? sql`true` : ownedBy(sql, owner)
  const inName = sql`repository.key like ${search.pattern} escape ''`
  if (owner !== undefined) return sql`(${inName} and ${ownedBy(sql, owner)})`
  return inDescription ? sql`(${inName} or ${matches(sql, search, sql`repository.description`)})` : inName
}

function ownedBy(sql: Sql, owner: string): Fragment {
  const search = searchPattern(owner)
  if (!search) return sql`true`
  return sql`exists (
    select from forge.account
    where id = repository.owner_id and key like ${search.pattern} escape ''
  )`
}
