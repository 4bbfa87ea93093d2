import type { Fragment, Sql } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { type LiteralSearchPattern, literalSearchPattern } from '../protocol/search-pattern.ts'
import type { StoredAddress } from './email-store.ts'

/** An address with the name of its owner. */
export interface ListedAddress extends StoredAddress {
  owner: string
}

/** As for people: beyond so many hits the table is read instead of the index of runs. */
const mostHits = 10_000

/**
 * A page of the addresses of all people, in the order of the addresses; with a term those that hold it, or whose
 * owner's name or full name does. One statement; for a term that no index serves two, which read the table.
 */
export async function pageOfAddresses(sql: Sql, q: string, paging: Paging): Promise<Page<ListedAddress>> {
  const needle = literalSearchPattern(q)
  if (!needle) return listed(sql, paging)
  const found = needle.hasTrigram ? await foundByGrams(sql, needle, paging) : undefined
  return found ?? foundByReading(sql, needle, paging)
}

/** The primary address first, then in the order in which they were added. */
const primaryFirst = (sql: Sql) => sql`order by email_address.is_primary desc, email_address.id`

/** All addresses of one account, the primary one first. */
export async function addressesOf(sql: Sql, account: number): Promise<ListedAddress[]> {
  const page = sql`(select id from forge.email_address where account_id = ${account})`
  return await sql<ListedAddress[]>`${columnsFrom(sql, page)} ${primaryFirst(sql)}`
}

/** The addresses of one account, the primary one first, then in the order in which they were added. */
export async function pageOfOwnAddresses(
  sql: Sql,
  account: number,
  paging: Paging,
): Promise<Page<ListedAddress>> {
  const by = primaryFirst(sql)
  const page = sql`
    select id
    from forge.email_address
    where account_id = ${account}
    ${by}
    ${window(sql, paging)}`
  const total = sql`select count(*) from forge.email_address where account_id = ${account}`
  return pageFrom(await filled(sql, page, total, by), paging)
}

const byAddress = (sql: Sql) => sql`order by email_address.key`
const window = (sql: Sql, paging: Paging) => sql`limit ${paging.limit} offset ${offsetOf(paging)}`

/** The page from an index alone, the total from the tally (0002_forge.sql). */
async function listed(sql: Sql, paging: Paging): Promise<Page<ListedAddress>> {
  const page = sql`
    select id
    from forge.email_address
    where is_listed
    ${byAddress(sql)}
    ${window(sql, paging)}`
  const total = sql`select sum(addresses)::bigint from forge.email_tally`
  return pageFrom(await filled(sql, page, total, byAddress(sql)), paging)
}

/** Undefined when there are too many hits for this way. */
async function foundByGrams(
  sql: Sql,
  needle: LiteralSearchPattern,
  paging: Paging,
): Promise<Page<ListedAddress> | undefined> {
  const { pattern } = needle
  const rows = await sql<(Row & { hits: number })[]>`
    with address_hit as materialized (
      select id
      from forge.addresses_like(${pattern}, ${mostHits + 1}) as id
    ),
    owner_hit as materialized (
      select id
      from forge.accounts_like(${pattern}, ${mostHits + 1}) as id
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
      where ${matching(sql, needle)}
    ),
    page as (
      select id
      from found as email_address
      ${byAddress(sql)}
      ${window(sql, paging)}
    )
    select greatest((select count(*) from address_hit), (select count(*) from owner_hit)) as hits,
      (select count(*) from found) as total, email_address.*
    from (select) as always
    left join (${columnsFrom(sql, sql`page`)}) as email_address on true
    ${byAddress(sql)}`
  return (rows[0]?.hits ?? 0) > mostHits ? undefined : pageFrom(rows, paging)
}

/** Few finds are sorted; where there are many, the order of the list is walked until the page is full. */
async function foundByReading(
  sql: Sql,
  needle: LiteralSearchPattern,
  paging: Paging,
): Promise<Page<ListedAddress>> {
  const found = sql`
    from forge.email_address
    join forge.account on account.id = email_address.account_id
    where ${matching(sql, needle)}`
  const [row] = await sql<[{ total: number }]>`select count(*) as total ${found}`
  const { total } = row
  const source =
    total > mostHits
      ? sql`select email_address.id ${found}`
      : sql`
        with found as materialized (select email_address.id, email_address.key ${found})
        select email_address.id from found as email_address`
  const page = sql`${source} ${byAddress(sql)} ${window(sql, paging)}`
  return pageFrom(await filled(sql, page, sql`select ${total}::bigint`, byAddress(sql)), paging)
}

function matching(sql: Sql, { text }: LiteralSearchPattern): Fragment {
  return sql`
    email_address.is_listed
    and (
      strpos(lower(email_address.address), ${text}) > 0
      or strpos(account.key, ${text}) > 0
      or strpos(lower(account.full_name), ${text}) > 0
    )`
}

/** A row of a page; the total stands in each, and alone in one without an address when the page is empty. */
type Row = { total: number } & (ListedAddress | { id: null })

function filled(sql: Sql, page: Fragment, total: Fragment, by: Fragment) {
  return sql<Row[]>`
    select (${total}) as total, email_address.*
    from (select) as always
    left join (${columnsFrom(sql, sql`(${page})`)}) as email_address on true
    ${by}`
}

function columnsFrom(sql: Sql, page: Fragment): Fragment {
  return sql`
    select email_address.id, email_address.key, email_address.account_id, email_address.address,
      email_address.is_primary, email_address.is_activated, account.name as owner
    from ${page} as page
    join forge.email_address using (id)
    join forge.account on account.id = email_address.account_id`
}

function pageFrom(rows: readonly Row[], paging: Paging): Page<ListedAddress> {
  const { page, limit } = paging
  return { page, limit, rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 }
}
