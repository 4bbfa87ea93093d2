import type { Fragment, Sql } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { type SearchPattern, searchPattern } from '../protocol/search-pattern.ts'
import { type Account, accountColumns } from './account.ts'
import { type AccountRow, accountsFrom, pageOfAccounts } from './account-page.ts'
import type { Visibility } from './visibility.ts'

export const PEOPLE_SORTS = ['name', 'created', 'updated', 'id'] as const
export type PeopleSort = (typeof PEOPLE_SORTS)[number]
export const ORDERS = ['asc', 'desc'] as const
export type Order = (typeof ORDERS)[number]

/** What a list of people is narrowed to; undefined filters nothing. */
export interface PeopleFilter {
  q: string
  source_id: number
  login_name: string
  visibility: Visibility | undefined
  is_active: boolean | undefined
  is_admin: boolean | undefined
  is_restricted: boolean | undefined
  is_2fa_enabled: boolean | undefined
  is_prohibit_login: boolean | undefined
  /** One person by its id; 0 or absent filters nothing. */
  uid?: number
  /** What the one who asks may see; absent: everything. */
  sight?: Sight
}

/**
 * - `everything`: all people, who are also found by addresses that they hide.
 * - `not private`: public and limited people, found by names and by addresses that are not hidden.
 * - `public`: public people, found by names alone, since whoever sees no more is shown no address either.
 */
export type Sight = 'everything' | 'not private' | 'public'

/**
 * A needle in more accounts than this is looked for in the table itself, since sorting so many single finds costs more.
 * With a million people a frequent needle costs one pass over the table (about half a second on two cores), a needle of
 * two characters one or two; a rarer one some milliseconds.
 */
const mostHits = 10_000

/**
 * A page of people: one statement, and a second one for a needle that no index serves. Only administrators may cause a
 * pass over the table; for others a needle is looked for in the first `mostHits` finds, and one of less than three
 * characters at the beginning of names.
 */
export async function pageOfPeople(
  sql: Sql,
  filter: PeopleFilter,
  paging: Paging,
  sort: PeopleSort = 'name',
  order: Order = 'asc',
): Promise<Page<Account>> {
  const needle = searchPattern(filter.q)
  const wanted = { sql, filter, paging, by: orders[`${sort} ${order}`](sql) }
  if (!needle) return listed(wanted)
  const isBounded = (filter.sight ?? 'everything') !== 'everything'
  if (!needle.hasTrigram) return isBounded ? foundByPrefix(wanted, needle) : foundByReading(wanted, needle)
  const { hits, page } = await foundByGrams(wanted, needle)
  return hits > mostHits && !isBounded ? foundByReading(wanted, needle) : page
}

interface Wanted {
  sql: Sql
  filter: PeopleFilter
  paging: Paging
  by: Fragment
}

/** A closed map of literals, so that each order meets its index (0002_forge.sql). */
const orders: Readonly<Record<`${PeopleSort} ${Order}`, (sql: Sql) => Fragment>> = {
  'name asc': (sql) => sql`order by key`,
  'name desc': (sql) => sql`order by key desc`,
  'created asc': (sql) => sql`order by created_at, id`,
  'created desc': (sql) => sql`order by created_at desc, id desc`,
  'updated asc': (sql) => sql`order by updated_at, id`,
  'updated desc': (sql) => sql`order by updated_at desc, id desc`,
  'id asc': (sql) => sql`order by id`,
  'id desc': (sql) => sql`order by id desc`,
}

/** Without a needle: the page from an index alone, the total from the tally. */
async function listed({ sql, filter, paging, by }: Wanted): Promise<Page<Account>> {
  const isTallied = filter.login_name === '' && !filter.uid
  const total = isTallied
    ? sql`select coalesce(sum(accounts), 0) from forge.account_tally where ${states(sql, filter)}`
    : sql`select count(*) from forge.account where ${conditions(sql, filter)}`
  const page = sql`
    select id
    from forge.account
    where ${conditions(sql, filter)}
    ${by}
    limit ${paging.limit}
    offset ${offsetOf(paging)}`
  return pageOfAccounts(sql, { page, total: sql`(${total})::bigint`, by }, paging)
}

/** More hits than `mostHits` mean that there may be others, which were not looked at. */
async function foundByGrams(
  wanted: Wanted,
  { pattern }: SearchPattern,
): Promise<{ hits: number; page: Page<Account> }> {
  const { sql, filter, paging, by } = wanted
  const rows = await sql<(AccountRow & { hits: number })[]>`
    with hit as materialized (
      select id
      from forge.accounts_like(${pattern}, ${mostHits + 1}) as id
    ),
    found as materialized (
      select id, key, created_at, updated_at
      from forge.account
      join hit using (id)
      where ${conditions(sql, filter)} ${findable(sql, filter, pattern)}
    ),
    page as (
      select id
      from found
      ${by}
      limit ${paging.limit}
      offset ${offsetOf(paging)}
    )
    select (select count(*) from hit) as hits, (select count(*) from found) as total, account.*
    from (select) as always
    left join (
      select ${accountColumns(sql)}, account.key
      from page
      join forge.account as account using (id)
    ) as account on true
    ${by}`
  return { hits: rows[0]?.hits ?? 0, page: accountsFrom(rows, paging) }
}

async function foundByPrefix(wanted: Wanted, { pattern }: SearchPattern): Promise<Page<Account>> {
  const { sql, filter } = wanted
  const matching = sql`${conditions(sql, filter)} and key like ${pattern.replace(/^%+/, '')} escape ''`
  return walked(wanted, matching, sql`(select count(*) from forge.account where ${matching})`)
}

/** Where no index helps. The planner cannot know how frequent a needle is, and would walk an order for a rare one. */
async function foundByReading(
  wanted: Wanted,
  { pattern, hasTrigram }: SearchPattern,
): Promise<Page<Account>> {
  const { sql, filter, paging, by } = wanted
  const matching = sql`
    ${conditions(sql, filter)}
    and (
      key like ${pattern} escape ''
      or lower(full_name) like ${pattern} escape ''
      or lower(email) like ${pattern} escape ''
    )
    ${findable(sql, filter, pattern)}`
  const counting = sql`(select count(*) from forge.account where ${matching})`
  if (hasTrigram) return walked(wanted, matching, counting)
  const [row] = await sql<[{ total: number }]>`select ${counting} as total`
  if (row.total <= offsetOf(paging)) return { rows: [], total: row.total, ...paging }
  if (row.total > mostHits) return walked(wanted, matching, sql`${row.total}::bigint`)
  const sorted = sql`
    with found as materialized (
      select id, key, created_at, updated_at
      from forge.account
      where ${matching}
    )
    select id
    from found
    ${by}
    limit ${paging.limit}
    offset ${offsetOf(paging)}`
  return pageOfAccounts(sql, { page: sorted, total: sql`${row.total}::bigint`, by }, paging)
}

/** The order of the list is walked until the page is full: for a needle that is met often. */
async function walked(
  { sql, paging, by }: Wanted,
  matching: Fragment,
  total: Fragment,
): Promise<Page<Account>> {
  const page = sql`
    select id
    from forge.account
    where ${matching}
    ${by}
    limit ${paging.limit}
    offset ${offsetOf(paging)}`
  return pageOfAccounts(sql, { page, total, by }, paging)
}

const visibilities: Readonly<Record<Visibility, (sql: Sql) => Fragment>> = {
  public: (sql) => sql`and visibility = 'public'`,
  limited: (sql) => sql`and visibility = 'limited'`,
  private: (sql) => sql`and visibility = 'private'`,
}

/** What the tally knows too. States are literals, because an index of few rows is only chosen for a literal. */
function states(sql: Sql, filter: PeopleFilter) {
  const nothing = sql``
  const state = (wanted: boolean | undefined, yes: Fragment, no: Fragment) =>
    wanted === undefined ? nothing : wanted ? yes : no
  return sql`
    kind = 'person'
    ${state(filter.is_active, sql`and is_active`, sql`and not is_active`)}
    ${state(filter.is_admin, sql`and is_admin`, sql`and not is_admin`)}
    ${state(filter.is_restricted, sql`and is_restricted`, sql`and not is_restricted`)}
    ${state(filter.is_2fa_enabled, sql`and has_totp`, sql`and not has_totp`)}
    ${state(filter.is_prohibit_login, sql`and prohibit_login`, sql`and not prohibit_login`)}
    ${filter.visibility === undefined ? nothing : visibilities[filter.visibility](sql)}
    ${sights[filter.sight ?? 'everything'](sql)}
    ${filter.source_id > 0 ? sql`and source_id = ${filter.source_id}` : nothing}`
}

const sights: Readonly<Record<Sight, (sql: Sql) => Fragment>> = {
  everything: (sql) => sql``,
  'not private': (sql) => sql`and visibility <> 'private'`,
  public: (sql) => sql`and visibility = 'public'`,
}

/** Keeps an address that is not shown from being found out by searching for its parts. */
function findable(sql: Sql, { sight = 'everything' }: PeopleFilter, pattern: string): Fragment {
  if (sight === 'everything') return sql``
  const shown = sight === 'public' ? sql`false` : sql`not hides_email`
  return sql`
    and (${shown} or key like ${pattern} escape '' or lower(full_name) like ${pattern} escape '')`
}

function conditions(sql: Sql, filter: PeopleFilter) {
  const login =
    filter.login_name === '' ? sql`` : sql`and login_name = ${filter.login_name} and login_name <> ''`
  const one = filter.uid ? sql`and id = ${filter.uid}` : sql``
  return sql`${states(sql, filter)} ${login} ${one}`
}
