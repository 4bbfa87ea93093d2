import type { Fragment, Sql } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { type Account, accountsByIds } from '../accounts/account.ts'
import { type LiteralSearchPattern, literalSearchPattern } from '../protocol/search-pattern.ts'
import { type PackageRow, packageColumns } from './package-store.ts'

/** What a list is narrowed to; undefined and "" filter nothing. */
interface PackageFilter {
  owner?: number
  /** A registry; one that there is none of leaves nothing. */
  type: string
  /** Stands somewhere in the name, in any case. */
  q: string
}

/** A version in a list. */
export interface ListedPackage {
  row: PackageRow
  owner: Account
  creator: Account | undefined
}

/** A needle in more names than this is looked for along the list, where it is met soon. */
const mostHits = 1000

/** A page of versions, newest first: one statement, two with a term that stands in many names, and one for the accounts. */
export async function pageOfPackages(
  sql: Sql,
  filter: PackageFilter,
  paging: Paging,
): Promise<Page<ListedPackage>> {
  const needle = literalSearchPattern(filter.q)
  const rows = needle?.hasGrams
    ? ((await foundByGrams(sql, filter, paging, needle)) ?? (await walked(sql, filter, paging, needle)))
    : await walked(sql, filter, paging, needle)
  const found = rows.filter((row) => row.id !== null)
  const ids = found.flatMap(({ owner_id, creator_id }) => [owner_id, creator_id ?? owner_id])
  const accounts = new Map((await accountsByIds(sql, [...new Set(ids)])).map((each) => [each.id, each]))
  const listed = found.flatMap((row): ListedPackage[] => {
    const [owner, creator] = [accounts.get(row.owner_id), accounts.get(row.creator_id ?? 0)]
    return owner ? [{ row, owner, creator }] : []
  })
  return { rows: listed, total: rows[0]?.total ?? 0, ...paging }
}

/** A row of a page; the total stands in each, and alone in one when the page is empty. */
type Row = { total: number } & (PackageRow | { id: null })

/** Along the index of the list, asking each version for its name where a term is given. */
async function walked(
  sql: Sql,
  filter: PackageFilter,
  paging: Paging,
  needle: LiteralSearchPattern | undefined,
): Promise<Row[]> {
  const named = needle
    ? sql`
      and exists (
        select from forge.package
        where id = version.package_id and position(${needle.text} in key) > 0
      )`
    : sql``
  const isTallied = filter.owner === undefined && !needle
  const total = isTallied
    ? sql`select coalesce(sum(versions), 0)::bigint from forge.package_tally as version where ${conditions(sql, filter)}`
    : sql`
      select count(*)::bigint
      from forge.package_version as version
      where ${conditions(sql, filter)} ${named}`
  return await sql<Row[]>`
    select (${total}) as total, listed.*
    ${listed(sql, sql`from forge.package_version as version where ${conditions(sql, filter)} ${named}`, paging)}`
}

/** From the names; undefined when the term stands in too many. */
async function foundByGrams(
  sql: Sql,
  filter: PackageFilter,
  paging: Paging,
  { pattern, text }: LiteralSearchPattern,
): Promise<Row[] | undefined> {
  const rows = await sql<(Row & { hits: number })[]>`
    with hit as materialized (
      select id
      from forge.packages_like(${pattern}, ${mostHits + 1}) as id
    ),
    found as materialized (
      select version.id, version.created_at
      from hit
      join forge.package on package.id = hit.id
      join forge.package_version as version on version.package_id = package.id
      where position(${text} in package.key) > 0 and ${conditions(sql, filter)}
    )
    select (select count(*) from hit) as hits, (select count(*) from found) as total, listed.*
    ${listed(sql, sql`from found`, paging)}`
  return (rows[0]?.hits ?? 0) > mostHits ? undefined : rows
}

function conditions(sql: Sql, { owner, type }: PackageFilter): Fragment {
  const isAny = type === '' || type === 'all'
  return sql`
    true
    ${owner === undefined ? sql`` : sql`and version.owner_id = ${owner}`}
    ${isAny ? sql`` : sql`and version.type = ${type}`}`
}

/** The page of those versions, newest first, as `listed`; one row of nulls where it is empty, for the total beside it. */
const listed = (sql: Sql, versions: Fragment, paging: Paging) => sql`
    from (select) as always
    left join lateral (
      select ${packageColumns(sql)}
      from (
        select id
        ${versions}
        order by created_at desc, id desc
        limit ${paging.limit}
        offset ${offsetOf(paging)}
      ) as page
      join forge.package_version as version using (id)
      join forge.package on package.id = version.package_id
    ) as listed on true
    order by listed.created_at desc, listed.id desc`
