import { type Page, type Paging, pageAmongFirst, pageAmongHits, pageOf } from '../../db/page.ts'
import { allRows, onlyRow } from '../../db/rows.ts'
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
  const found = search.hasTrigram ? await findByTrigrams(sql, search, paging) : undefined
  return found ?? scanTable(sql, search, paging)
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

/** The page from an index alone, the total from the stored counts (0002_forge.sql). */
const pageOfAll = (sql: Sql, paging: Paging) =>
  pageOf<ListedAddress>(sql, paging, {
    total: sql`select sum(addresses)::bigint from forge.email_tally`,
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

/** Undefined when the pattern has too many hits. */
async function findByTrigrams(
  sql: Sql,
  search: LiteralSearchPattern,
  paging: Paging,
): Promise<Page<ListedAddress> | undefined> {
  const { pattern } = search
  const { hits, page } = await pageAmongHits<ListedAddress>(sql, paging, {
    with: sql`
      address_hit as materialized (
        select id
        from forge.addresses_like(${pattern}, ${maxHits + 1}) as id
      ),
      owner_hit as materialized (
        select id
        from ${accountsLike(sql, search, maxHits + 1)} as id
      ),
      candidate as (
        select id
        from address_hit
        union
        select email_address.id
        from owner_hit
        join forge.email_address on email_address.account_id = owner_hit.id
      ),
      found as materialized (
        select email_address.id, email_address.key
        from candidate
        join forge.email_address using (id)
        join forge.account on account.id = email_address.account_id
        where ${matching(sql, search)}
      )`,
    hits: sql`greatest((select count(*) from address_hit), (select count(*) from owner_hit))`,
    from: sql`from found`,
    keys: sql`id`,
    ...byAddress(sql),
  })
  return hits > maxHits ? undefined : page
}

/** Sorts the hits if they are few; otherwise reads the list in its order until the page is full. */
async function scanTable(
  sql: Sql,
  search: LiteralSearchPattern,
  paging: Paging,
): Promise<Page<ListedAddress>> {
  const found = sql`
    from forge.email_address
    join forge.account on account.id = email_address.account_id
    where ${matching(sql, search)}`
  const keys = sql`email_address.id, email_address.key`
  const { total } = await onlyRow(sql<[{ total: number }]>`select count(*) as total ${found}`)
  return pageOf<ListedAddress>(sql, paging, {
    total: sql`${total}::bigint`,
    ...(total > maxHits
      ? { from: found, keys }
      : { with: sql`found as materialized (select ${keys} ${found})`, from: sql`from found`, keys: sql`id` }),
    ...byAddress(sql),
  })
}

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
