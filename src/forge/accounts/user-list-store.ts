import { type Page, type Paging, pageAmongFirst, pageAmongHits, pageInOrder } from '../../db/page.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { matches, type SearchPattern, searchPattern } from '../protocol/search-pattern.ts'
import type { Order } from '../protocol/sorting.ts'
import { accountsOfPage, pageOfAccounts } from './account-page-store.ts'
import type { Account } from './account-store.ts'
import type { Visibility } from './visibility.ts'

export const USER_SORTS = ['name', 'created', 'updated', 'id'] as const
type UserSort = (typeof USER_SORTS)[number]

/** Filter of a user list; undefined members filter nothing. */
export interface UserFilter {
  q?: string
  /** 0 filters nothing, and so does an empty name. */
  source_id?: number
  login_name?: string
  visibility?: Visibility | undefined
  /** Bots instead of people, without that of Actions, which is no account of anybody. */
  areBots?: boolean
  is_active?: boolean | undefined
  is_admin?: boolean | undefined
  is_restricted?: boolean | undefined
  is_2fa_enabled?: boolean | undefined
  is_prohibit_login?: boolean | undefined
  /** Only this user; 0 or absent filters nothing. */
  uid?: number
  /** Only this user, in addition to `uid`: a restricted caller, who may see no other user. */
  only?: number | undefined
  /** What the caller may see; absent: everything. */
  visible?: VisibleUsers
  /** The caller, who finds itself although it hides something; absent: no such exception. */
  self?: number | undefined
}

/**
 * - `everything`: all users, also found by addresses that they hide.
 * - `not private`: public and limited users, found by names and by addresses that are not hidden.
 * - `public`: public users, found by names only, since such a caller is not shown addresses either.
 */
export type VisibleUsers = 'everything' | 'not private' | 'public'

/** With more hits than this, the list is read in its order, which soon finds enough: to sort so many hits costs more. */
export const maxHits = 10_000

/**
 * A page of users: one statement; for a pattern that the first users of the list do not have often enough a second one,
 * and a third for one that has too many hits. Only administrators may cause a pass over the table, for a pattern of less than
 * three characters. For other callers such a pattern only matches the beginning of names, and the search in the index stops
 * after `maxHits` hits.
 */
export async function pageOfUsers(
  sql: Sql,
  filter: UserFilter,
  paging: Paging,
  sort: UserSort = 'name',
  order: Order = 'asc',
): Promise<Page<Account>> {
  const search = searchPattern(filter.q ?? '')
  const query = { sql, filter, paging, by: orders[`${sort} ${order}`](sql) }
  if (!search) return pageOfAll(query)
  const isBounded = (filter.visible ?? 'everything') !== 'everything'
  const first = await findAmongFirst(query, search, isBounded && !search.hasTrigram)
  if (first) return first
  if (!search.hasTrigram && isBounded) return readInOrder(query, hasPrefix(sql, search))
  const { hits, page } = await findHits(query, search)
  return hits > maxHits && !isBounded ? readInOrder(query, found(query, search)) : page
}

interface ListQuery {
  sql: Sql
  filter: UserFilter
  paging: Paging
  by: Fragment
}

/** A fixed map of literals, so that each order matches its index (0002_forge.sql). */
const orders: Readonly<Record<`${UserSort} ${Order}`, (sql: Sql) => Fragment>> = {
  'name asc': (sql) => sql`order by key`,
  'name desc': (sql) => sql`order by key desc`,
  'created asc': (sql) => sql`order by created_at, id`,
  'created desc': (sql) => sql`order by created_at desc, id desc`,
  'updated asc': (sql) => sql`order by updated_at, id`,
  'updated desc': (sql) => sql`order by updated_at desc, id desc`,
  'id asc': (sql) => sql`order by id`,
  'id desc': (sql) => sql`order by id desc`,
}

/** Without a pattern: from an index alone. */
const pageOfAll = ({ sql, filter, paging, by }: ListQuery): Promise<Page<Account>> =>
  pageOfAccounts(sql, paging, {
    from: sql`from forge.account where ${conditions(sql, filter)}`,
    keys: sql`id`,
    by,
  })

/** Undefined if there are more users and the first of the list do not fill the page. */
function findAmongFirst(query: ListQuery, search: SearchPattern, isPrefix: boolean) {
  const { sql, filter, paging, by } = query
  return pageAmongFirst<Account>(sql, paging, {
    reads: 5000,
    list: sql`
      select id, key, full_name, email, hides_email, created_at, updated_at
      from forge.account
      where ${conditions(sql, filter)}`,
    matching: isPrefix ? hasPrefix(sql, search) : found(query, search),
    rows: accountsOfPage(sql),
    by,
  })
}

/**
 * Finds the accounts with a pattern in the index of names, or without three characters in a row in the table. If `hits`
 * exceeds `maxHits`, there may be more accounts, which were not read.
 */
function findHits(query: ListQuery, search: SearchPattern) {
  const { sql, filter, paging, by } = query
  const matching = sql`${conditions(sql, filter)} and ${found(query, search)}`
  const inTable = sql`(select id from forge.account where ${matching} limit ${maxHits + 1})`
  return pageAmongHits<Account>(sql, paging, {
    with: sql`
      hit as materialized (
        select id
        from ${search.hasTrigram ? accountsLike(sql, search, maxHits + 1) : inTable} as id
      ),
      found as materialized (
        select id, key, created_at, updated_at
        from forge.account
        join hit using (id)
        where ${matching}
      )`,
    hits: sql`select count(*) from hit`,
    from: sql`from found`,
    keys: sql`id`,
    rows: accountsOfPage(sql),
    by,
  })
}

/** Whether the name of an account begins with the pattern. */
export const hasPrefix = (sql: Sql, { pattern }: SearchPattern) =>
  sql`key like ${pattern.replace(/^%+/, '')} escape ''`

const anywhere = (sql: Sql, search: SearchPattern) => sql`
  (
    key like ${search.pattern} escape ''
    or ${matches(sql, search, sql`full_name`)}
    or ${matches(sql, search, sql`email`)}
  )`

/** Whether an account has the pattern where the caller may see it. */
const found = ({ sql, filter }: ListQuery, search: SearchPattern) =>
  sql`${anywhere(sql, search)} ${addressCondition(sql, filter, search)}`

/** Reads the list in its order until enough users are found. */
const readInOrder = ({ sql, filter, paging, by }: ListQuery, matching: Fragment): Promise<Page<Account>> =>
  pageInOrder<Account>(sql, paging, {
    columns: sql`id, key, created_at, updated_at`,
    from: sql`from forge.account where ${conditions(sql, filter)} and ${matching}`,
    rows: accountsOfPage(sql),
    by,
  })

const visibilities: Readonly<Record<Visibility, (sql: Sql) => Fragment>> = {
  public: (sql) => sql`and visibility = 'public'`,
  limited: (sql) => sql`and visibility = 'limited'`,
  private: (sql) => sql`and visibility = 'private'`,
}

/** States are literals, because the planner only chooses a partial index for a literal. */
function states(sql: Sql, filter: UserFilter) {
  const nothing = sql``
  const state = (value: boolean | undefined, yes: Fragment, no: Fragment) =>
    value === undefined ? nothing : value ? yes : no
  return sql`
    ${filter.areBots ? sql`kind = 'bot' and id > 0` : sql`kind = 'person'`}
    ${state(filter.is_active, sql`and is_active`, sql`and not is_active`)}
    ${state(filter.is_admin, sql`and is_admin`, sql`and not is_admin`)}
    ${state(filter.is_restricted, sql`and is_restricted`, sql`and not is_restricted`)}
    ${state(filter.is_2fa_enabled, sql`and has_totp`, sql`and not has_totp`)}
    ${state(filter.is_prohibit_login, sql`and prohibit_login`, sql`and not prohibit_login`)}
    ${filter.visibility === undefined ? nothing : visibilities[filter.visibility](sql)}
    ${filter.source_id && filter.source_id > 0 ? sql`and source_id = ${filter.source_id}` : nothing}`
}

const visibleConditions: Readonly<Record<VisibleUsers, (sql: Sql) => Fragment>> = {
  everything: (sql) => sql`true`,
  'not private': (sql) => sql`visibility <> 'private'`,
  public: (sql) => sql`visibility = 'public'`,
}

const visibilityCondition = (sql: Sql, { visible = 'everything' }: UserFilter) =>
  visibleConditions[visible](sql)

const orSelf = (sql: Sql, self: number | undefined) => (self ? sql`or id = ${self}` : sql``)

/** Prevents callers from finding out a hidden address by searching for its parts. */
function addressCondition(
  sql: Sql,
  { visible = 'everything', self }: UserFilter,
  search: SearchPattern,
): Fragment {
  if (visible === 'everything') return sql``
  const shown = visible === 'public' ? sql`false` : sql`not hides_email`
  return sql`
    and (${shown} ${orSelf(sql, self)} or key like ${search.pattern} escape ''
      or ${matches(sql, search, sql`full_name`)})`
}

function conditions(sql: Sql, filter: UserFilter) {
  const login = filter.login_name ? sql`and login_name = ${filter.login_name} and login_name <> ''` : sql``
  const one = filter.uid ? sql`and id = ${filter.uid}` : sql``
  const only = filter.only ? sql`and id = ${filter.only}` : sql``
  const visible = sql`and (${visibilityCondition(sql, filter)} ${orSelf(sql, filter.self)})`
  return sql`${states(sql, filter)} ${visible} ${login} ${one} ${only}`
}

/** Ids of at most `maximum` accounts that match a pattern with three literal characters in a row, from its index. */
export const accountsLike = (sql: Sql, { pattern, isFolded }: SearchPattern, maximum: number): Fragment =>
  isFolded
    ? sql`forge.accounts_like_folded(${pattern}, ${maximum})`
    : sql`forge.accounts_like(${pattern}, ${maximum})`
