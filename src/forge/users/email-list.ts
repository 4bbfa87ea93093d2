import type { Fragment, Sql } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { type LiteralSearchPattern, literalSearchPattern } from '../protocol/search-pattern.ts'
import type { StoredAddress } from './email-store.ts'

/** An address with the name of its owner. */
export interface ListedAddress extends StoredAddress {
  owner: string
}

/** With more hits than this, the table is read instead of the trigram index, as in user lists. */
const maxHits = 10_000

/**
 * A page of the addresses of all users, ordered by address; with a term only those that contain it, or whose owner's
 * name or full name does. One statement, or two that read the table if no index serves the term.
 */
export async function pageOfAddresses(sql: Sql, q: string, paging: Paging): Promise<Page<ListedAddress>> {
  const search = literalSearchPattern(q)
  if (!search) return pageOfAll(sql, paging)
  const found = search.hasTrigram ? await findByTrigrams(sql, search, paging) : undefined
  return found ?? scanTable(sql, search, paging)
}

/** The primary address first, then in the order in which they were added. */
const primaryFirst = (sql: Sql) => sql`order by email_address.is_primary desc, email_address.id`

/** All addresses of an account, the primary one first. */
export async function addressesOf(sql: Sql, account: number): Promise<ListedAddress[]> {
  const page = sql`(select id from forge.email_address where account_id = ${account})`
  return await sql<ListedAddress[]>`${columnsFrom(sql, page)} ${primaryFirst(sql)}`
}

/** The addresses of an account, the primary one first, then in the order in which they were added. */
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
  return pageFrom(await rowsOfPage(sql, page, total, by), paging)
}

const byAddress = (sql: Sql) => sql`order by email_address.key`
const window = (sql: Sql, paging: Paging) => sql`limit ${paging.limit} offset ${offsetOf(paging)}`

/** The page from an index alone, the total from the stored counts (0002_forge.sql). */
async function pageOfAll(sql: Sql, paging: Paging): Promise<Page<ListedAddress>> {
  const page = sql`
    select id
    from forge.email_address
    where is_listed
    ${byAddress(sql)}
    ${window(sql, paging)}`
  const total = sql`select sum(addresses)::bigint from forge.email_tally`
  return pageFrom(await rowsOfPage(sql, page, total, byAddress(sql)), paging)
}

/** Undefined when the pattern has too many hits. */
async function findByTrigrams(
  sql: Sql,
  search: LiteralSearchPattern,
  paging: Paging,
): Promise<Page<ListedAddress> | undefined> {
  const { pattern } = search
  const rows = await sql<(Row & { hits: number })[]>`
    with address_hit as materialized (
      select id
      from forge.addresses_like(${pattern}, ${maxHits + 1}) as id
    ),
    owner_hit as materialized (
      select id
      from forge.accounts_like(${pattern}, ${maxHits + 1}) as id
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
  return (rows[0]?.hits ?? 0) > maxHits ? undefined : pageFrom(rows, paging)
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
  const [row] = await sql<[{ total: number }]>`select count(*) as total ${found}`
  const { total } = row
  const source =
    total > maxHits
      ? sql`select email_address.id ${found}`
      : sql`
        with found as materialized (select email_address.id, email_address.key ${found})
        select email_address.id from found as email_address`
  const page = sql`${source} ${byAddress(sql)} ${window(sql, paging)}`
  return pageFrom(await rowsOfPage(sql, page, sql`select ${total}::bigint`, byAddress(sql)), paging)
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

/** A row of a page with the total; if the page is empty, a single row without an address holds it. */
type Row = { total: number } & (ListedAddress | { id: null })

function rowsOfPage(sql: Sql, page: Fragment, total: Fragment, by: Fragment) {
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
