import { type Page, type Paging, pageAmongFirst, pageAmongHits, pageInOrder, pageOf } from '../../db/page.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { type Account, accountsByIds } from '../accounts/account-store.ts'
import { type LiteralSearchPattern, literalSearchPattern } from '../protocol/search-pattern.ts'
import { type Reader, visibleOwners } from '../repos/visibility.ts'
import { type PackageRow, packageColumns } from './package-store.ts'

/** Filter of a package list; undefined and "" do not filter. */
interface PackageFilter {
  owner?: number
  /** Only of owners that this reader may see; absent: of all. */
  reader?: Reader
  /** Only of the package with this id. */
  id?: number
  /** Name of a registry; an unknown name matches nothing. */
  type: string
  /** Substring of the package name, case-insensitive. */
  q: string
}

/** A version in a list, with its accounts. */
export interface ListedPackage {
  row: PackageRow
  owner: Account
  creator: Account | undefined
}

/** If more names than this contain the term, the list is read in its order instead, which soon finds enough matches. */
const maxHits = 1000

/**
 * A page of versions, newest first: one statement, or two for a term that many names contain, and one for the accounts.
 * What a `reader` may see, and what has a term, is counted to a bound.
 */
export async function pageOfPackages(
  sql: Sql,
  filter: PackageFilter,
  paging: Paging,
): Promise<Page<ListedPackage>> {
  const search = literalSearchPattern(filter.q)
  const found =
    search &&
    ((await findAmongFirst(sql, filter, paging, search)) ?? (await findHits(sql, filter, paging, search)))
  const { rows: versions, ...page } = found ?? (await readInOrder(sql, filter, paging, search))
  const ids = versions.flatMap(({ owner_id, creator_id }) => [owner_id, creator_id ?? owner_id])
  const accounts = new Map((await accountsByIds(sql, [...new Set(ids)])).map((each) => [each.id, each]))
  const packages = versions.flatMap((row): ListedPackage[] => {
    const [owner, creator] = [accounts.get(row.owner_id), accounts.get(row.creator_id ?? 0)]
    return owner ? [{ row, owner, creator }] : []
  })
  return { rows: packages, ...page }
}

/** Undefined if there are more versions and the first do not fill the page. */
const findAmongFirst = (sql: Sql, filter: PackageFilter, paging: Paging, search: LiteralSearchPattern) =>
  pageAmongFirst<PackageRow>(sql, paging, {
    reads: 2000,
    list: sql`select id, package_id, created_at from forge.package_version as version where ${conditions(sql, filter)}`,
    matching: sql`
      exists (
        select from forge.package
        where id = first.package_id and position(${search.text} in key) > 0
        offset 0
      )`,
    ...newestFirst(sql),
  })

/** Checks the name of each version if there is a term. */
async function readInOrder(
  sql: Sql,
  filter: PackageFilter,
  paging: Paging,
  search: LiteralSearchPattern | undefined,
): Promise<Page<PackageRow>> {
  const named = search
    ? sql`
      and exists (
        select from forge.package
        where id = version.package_id and position(${search.text} in key) > 0
      )`
    : sql``
  const matches = conditions(sql, filter)
  const from = sql`from forge.package_version as version where ${matches} ${named}`
  const order = newestFirst(sql)
  // To count what a reader may see, or what has a name, would take a pass over all versions.
  if (filter.reader || search)
    return await pageInOrder<PackageRow>(sql, paging, { columns: sql`id, created_at`, from, ...order })
  return await pageOf<PackageRow>(sql, paging, { from, keys: sql`id`, ...order })
}

/**
 * Finds names in their index, or without three characters in a row in their table; undefined if too many contain the term.
 */
async function findHits(
  sql: Sql,
  filter: PackageFilter,
  paging: Paging,
  { hasTrigram, pattern, text }: LiteralSearchPattern,
): Promise<Page<PackageRow> | undefined> {
  const inTable = sql`(select id from forge.package where position(${text} in key) > 0 limit ${maxHits + 1})`
  const { hits, page } = await pageAmongHits<PackageRow>(sql, paging, {
    with: sql`
      hit as materialized (
        select id
        from ${hasTrigram ? sql`forge.packages_like(${pattern}, ${maxHits + 1})` : inTable} as id
      ),
      match as materialized (
        select version.id, version.created_at
        from hit
        join forge.package on package.id = hit.id
        join forge.package_version as version on version.package_id = package.id
        where position(${text} in package.key) > 0 and ${conditions(sql, filter)}
      )`,
    hits: sql`select count(*) from hit`,
    from: sql`from match`,
    keys: sql`id`,
    ...newestFirst(sql),
  })
  return hits > maxHits ? undefined : page
}

function conditions(sql: Sql, { owner, reader, id, type }: PackageFilter): Fragment {
  const isAny = type === '' || type === 'all'
  return sql`
    true
    ${owner === undefined ? sql`` : sql`and version.owner_id = ${owner}`}
    ${id === undefined ? sql`` : sql`and version.package_id = ${id}`}
    ${reader === undefined ? sql`` : sql`and ${isOwnerVisible(sql, reader)}`}
    ${isAny ? sql`` : sql`and version.type = ${type}`}`
}

/** Whether the reader may see the owner of `version`, and with it the packages (`packagesSeen`). */
function isOwnerVisible(sql: Sql, reader: Reader): Fragment {
  const { me, publicOnly } = reader
  if (me?.is_admin && !publicOnly) return sql`true`
  const isOwnerOrMember = sql`
    or owner.id = ${me?.id ?? 0} or exists (
      select from forge.membership
      where organization_id = owner.id and account_id = ${me?.id ?? 0}
    )`
  return sql`exists (
    select from forge.account as owner
    where owner.id = version.owner_id
      and (owner.visibility = any(${visibleOwners(reader)}::text[]) ${me && !publicOnly ? isOwnerOrMember : sql``})
  )`
}

/** The rows and the order of a list of versions (`pageOf`). */
const newestFirst = (sql: Sql) => ({
  rows: sql`
    select ${packageColumns(sql)}
    from page
    join forge.package_version as version using (id)
    join forge.package on package.id = version.package_id`,
  by: sql`order by created_at desc, id desc`,
})
