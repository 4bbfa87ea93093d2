import { type Page, type Paging, pageAmongFirst, pageAmongHits, pageInOrder, pageOf } from '../../db/page.ts'
import { allRows } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { accountsLike, maxHits } from '../accounts/user-list-store.ts'
import {
  comparable,
  type LiteralSearchPattern,
  literalSearchPattern,
  matches,
} from '../protocol/search-pattern.ts'
import type { StoredAddress } from './email-store.ts'

/** An address with the name of its owner. */
export interface ListedAddress extends StoredAddress {
  owner: string
}

/**
 * A page of the addresses of all users, ordered by address; with a term only those that contain it, or whose owner's
 * name or full name does. One statement; two for a term that the first addresses do not have often enough, and two more
 * that read the table if no index serves it.
 */
export async function pageOfAddresses(sql: Sql, q: string, paging: Paging): Promise<Page<ListedAddress>> {
  const search = literalSearchPattern(q)
  if (!search) return pageOfAll(sql, paging)
  const first = await findAmongFirst(sql, search, paging)
  if (first) return first
  return (await findHits(sql, search, paging)) ?? readInOrder(sql, search, paging)
}

/** The primary address first, then in the order in which they were added. */
const primaryFirst = (sql: Sql) => sql`order by is_primary desc, id`

/** All addresses of an account, the primary one first. */
export function addressesOf(sql: Sql, account: number): Promise<ListedAddress[]> {
  const ids = sql`(select id from forge.email_address where account_id = ${account})`
  return allRows(sql<ListedAddress[]>`${columnsFrom(sql, ids)} ${primaryFirst(sql)}`)
}

/** The addresses of an account, the primary one first, then in the order in which they were added. */
export const pageOfOwnAddresses = (sql: Sql, account: number, paging: Paging) =>
  pageOf<ListedAddress>(sql, paging, {
    from: sql`from forge.email_address where account_id = ${account}`,
    keys: sql`id`,
    rows: columnsFrom(sql, sql`page`),
    by: primaryFirst(sql),
  })

/** The rows and the order of a list of addresses (`pageOf`). */
const byAddress = (sql: Sql) => ({ rows: columnsFrom(sql, sql`page`), by: sql`order by key` })

/** From an index alone. */
const pageOfAll = (sql: Sql, paging: Paging) =>
  pageOf<ListedAddress>(sql, paging, {
    from: sql`from forge.email_address where is_listed`,
    keys: sql`id`,
    ...byAddress(sql),
  })

/** Undefined if there are more addresses and the first do not fill the page. */
const findAmongFirst = (sql: Sql, search: LiteralSearchPattern, paging: Paging) =>
  pageAmongFirst<ListedAddress>(sql, paging, {
    reads: 2000,
    list: sql`select id, key, account_id from forge.email_address where is_listed`,
    matching: sql`exists (
      select from forge.email_address
      join forge.account on account.id = email_address.account_id
      where email_address.id = first.id and ${matching(sql, search)}
      offset 0
    )`,
    ...byAddress(sql),
  })

/**
 * Finds addresses by the indexes of addresses and names, or without three characters in a row in the tables. Undefined when
 * the pattern has too many hits.
 */
async function findHits(
  sql: Sql,
  search: LiteralSearchPattern,
  paging: Paging,
): Promise<Page<ListedAddress> | undefined> {
  const byIndex = sql`
    address_hit as materialized (
      select id
      from forge.addresses_like(${search.pattern}, ${maxHits + 1}) as id
    ),
    owner_hit as materialized (
      select id
      from ${accountsLike(sql, search, maxHits + 1)} as id
    ),
    hit as (
      select id
      from address_hit
      union
      select email_address.id
      from owner_hit
      join forge.email_address on email_address.account_id = owner_hit.id
    )`
  const inTable = sql`hit as materialized (select email_address.id ${matchingRows(sql, search)} limit ${maxHits + 1})`
  const { hits, page } = await pageAmongHits<ListedAddress>(sql, paging, {
    with: sql`
      ${search.hasTrigram ? byIndex : inTable},
      found as materialized (
        select email_address.id, email_address.key
        from hit
        join forge.email_address using (id)
        join forge.account on account.id = email_address.account_id
        where ${matching(sql, search)}
      )`,
    hits: search.hasTrigram
      ? sql`greatest((select count(*) from address_hit), (select count(*) from owner_hit))`
      : sql`select count(*) from hit`,
    from: sql`from found`,
    keys: sql`id`,
    ...byAddress(sql),
  })
  return hits > maxHits ? undefined : page
}

/** Reads the list in its order until enough addresses are found. */
const readInOrder = (sql: Sql, search: LiteralSearchPattern, paging: Paging): Promise<Page<ListedAddress>> =>
  pageInOrder<ListedAddress>(sql, paging, {
    columns: sql`email_address.id, email_address.key`,
    from: matchingRows(sql, search),
    ...byAddress(sql),
  })

const matchingRows = (sql: Sql, search: LiteralSearchPattern): Fragment => sql`
  from forge.email_address
  join forge.account on account.id = email_address.account_id
  where ${matching(sql, search)}`

function matching(sql: Sql, search: LiteralSearchPattern): Fragment {
  const { text } = search
  return sql`
    email_address.is_listed
    and (
      strpos(lower(email_address.address), ${text}) > 0
      or strpos(account.key, ${text}) > 0
      or ${matches(sql, search, sql`account.full_name`)} and strpos(${comparable(sql, search, sql`account.full_name`)}, ${text}) > 0
    )`
}

function columnsFrom(sql: Sql, page: Fragment): Fragment {
  return sql`
    select email_address.id, email_address.key, email_address.account_id, email_address.address,
      email_address.is_primary, email_address.is_activated, account.name as owner
    from ${page} as page
    join forge.email_address using (id)
    join forge.account on account.id = email_address.account_id`
}
