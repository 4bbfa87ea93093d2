import {
  boundedPage,
  countedTo,
  type Page,
  type Paging,
  pageAmongFirst,
  pageAmongHits,
  pageInOrder,
  pageOf,
} from '../../db/page.ts'
import { allRows } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { type Account, accountsByIds } from '../accounts/account-store.ts'
import { LEVELS, levelIn } from '../permissions/access-level-store.ts'
import type { Unit } from '../permissions/units.ts'
import { type SearchPattern, searchPattern } from '../protocol/search-pattern.ts'
import { conditions, idsAmong, type RepositoryFilter } from './repo-filter-store.ts'
import { type Repository, repositoryColumns } from './repo-store.ts'
import type { Reader } from './visibility.ts'
import { readableBy } from './visibility-store.ts'

export const REPOSITORY_SORTS = ['alpha', 'created', 'updated', 'size', 'stars', 'forks', 'id'] as const
export type RepositoryOrder = `${(typeof REPOSITORY_SORTS)[number]} ${'asc' | 'desc'}`

/** A repository in a list, with its owner and the reader's access level. */
export interface Listed {
  row: Repository
  owner: Account
  level: number
}

/**
 * With more hits than this, the search index saves nothing: the list is read in its sort order and filtered instead.
 */
const maxHits = 10_000

/**
 * A page of the repositories that a reader may see: one statement, and one for the owners; for a pattern that too few of
 * the first repositories match, up to three.
 */
export async function pageOfRepositories(
  sql: Sql,
  reader: Reader,
  filter: RepositoryFilter,
  paging: Paging,
  by: RepositoryOrder,
): Promise<Page<Listed>> {
  const query: ListQuery = { sql, reader, filter, paging, order: orders[by](sql), isById: by === 'id asc' }
  const search = searchPattern(filter.q ?? '')
  const page =
    (await foundByTopics(query)) ??
    (search && (await foundAmongFirst(query, search))) ??
    (search?.hasTrigram ? await foundByTrigrams(query, search) : await foundOfAccount(query))
  const { rows, ...rest } = page ?? (await readInOrder(query))
  return { rows: await withOwners(sql, reader, rows), ...rest }
}

/** Those of these repositories that a reader may see; `part`: of which the reader may read this unit. */
export async function listedByIds(
  sql: Sql,
  reader: Reader,
  ids: readonly number[],
  part?: Unit,
): Promise<Listed[]> {
  const rows = await allRows(sql<Row[]>`
    with page as (
      select id
      from forge.repository
      where id = any(${[...ids]}::bigint[]) and state = 'ready' and ${readableBy(sql, reader, part)}
    )
    ${rowsOfPage(sql, reader)}`)
  return withOwners(sql, reader, rows)
}

interface ListQuery {
  sql: Sql
  reader: Reader
  filter: RepositoryFilter
  paging: Paging
  order: Fragment
  isById: boolean
}

/** A repository with the access level that the reader was granted. */
type Row = Repository & { level: number }

/**
 * Reads the list in its sort order; joins the other columns only for the rows of the page. With a pattern, counts to a
 * bound only.
 */
async function readInOrder({ sql, reader, filter, paging, order }: ListQuery): Promise<Page<Row>> {
  const from = sql`
    from forge.repository
    where repository.state = 'ready' and ${readableBy(sql, reader)} ${conditions(sql, filter)}`
  const rest = { from, rows: rowsOfPage(sql, reader), by: order }
  if (filter.q || filter.anyOf) return pageInOrder<Row>(sql, paging, { columns: orderColumns(sql), ...rest })
  return pageOf<Row>(sql, paging, { keys: sql`id`, ...rest })
}

/**
 * Undefined if there are more repositories and the first of the list do not fill the page, or if the filter has few of
 * them.
 */
async function foundAmongFirst(
  { sql, reader, filter, paging, order }: ListQuery,
  { pattern }: SearchPattern,
): Promise<Page<Row> | undefined> {
  const { q: _, ...others } = filter
  const { owner, team, among, key, parent } = others
  if ([owner, team, among, key, parent].some((each) => each !== undefined)) return undefined
  return pageAmongFirst<Row>(sql, paging, {
    reads: 5000,
    list: sql`
      select ${orderColumns(sql)}
      from forge.repository
      where repository.state = 'ready' and ${readableBy(sql, reader)} ${conditions(sql, others)}`,
    matching: sql`key like ${pattern} escape ''`,
    rows: rowsOfPage(sql, reader),
    by: order,
  })
}

/** Uses the trigram index on names; undefined if the pattern has too many hits. */
async function foundByTrigrams(query: ListQuery, { pattern }: SearchPattern): Promise<Page<Row> | undefined> {
  const { sql } = query
  const { q: _, ...filter } = query.filter
  const { hits, page } = await pageAmong(
    { ...query, filter },
    sql`select id from forge.repositories_like(${pattern}, ${maxHits + 1}) as id`,
    { isWorth: sql`where (select count(*) from hit) <= ${maxHits}` },
  )
  return hits > maxHits ? undefined : page
}

/** Uses the index on topics; undefined if the filter names no topics. */
async function foundByTopics(query: ListQuery): Promise<Page<Row> | undefined> {
  const { sql } = query
  const { topics, ...filter } = query.filter
  if (topics === undefined) return undefined
  // The comparison with '{}' lets the planner use the index, which leaves out repositories without topics.
  const tagged = sql`
    select id
    from forge.repository
    where topics <> '{}' and topics && ${[...topics]}::text[]`
  return (await pageAmong({ ...query, filter }, tagged)).page
}

/**
 * Starts from the repositories of an account; undefined if the filter does not ask for them. Those that somebody has starred
 * or watches may be many: in the order of their ids, they are looked up until so many are found as are counted.
 */
async function foundOfAccount(query: ListQuery): Promise<Page<Row> | undefined> {
  const { among, ...filter } = query.filter
  if (among === undefined) return undefined
  const isBounded = query.isById && !('of' in among)
  const limit = isBounded ? countedTo(query.paging) + 1 : undefined
  const { page } = await pageAmong({ ...query, filter }, idsAmong(query.sql, among), { limit })
  return isBounded ? boundedPage(page) : page
}

/**
 * A page of a few candidate repositories, each looked up by id, so that the planner cannot choose a worse plan: at most so
 * many, those with the least ids; none at all if the candidates are not worth it.
 */
function pageAmong(
  { sql, reader, filter, paging, order }: ListQuery,
  candidates: Fragment,
  { limit, isWorth = sql`` }: { limit?: number | undefined; isWorth?: Fragment } = {},
) {
  return pageAmongHits<Row>(sql, paging, {
    with: sql`
      hit as materialized (${candidates}),
      found as materialized (
        select ${orderColumns(sql)}
        from (select distinct id from hit ${isWorth} ${limit === undefined ? sql`` : sql`order by id`}) as hit
        cross join lateral (
          select id, key, owner_id, state, is_private, owner_visibility, is_template, is_archived, created_at,
            updated_at, size, stars_count, forks_count, parent_id, description
          from forge.repository
          where id = hit.id
          offset 0
        ) as repository
        where repository.state = 'ready' and ${readableBy(sql, reader)} ${conditions(sql, filter)}
        limit ${limit ?? null}
      )`,
    hits: sql`select count(*) from hit`,
    from: sql`from found`,
    keys: sql`id`,
    rows: rowsOfPage(sql, reader),
    by: order,
  })
}

/** The rows of `page`, with the reader's access level. */
function rowsOfPage(sql: Sql, { me }: Reader): Fragment {
  return sql`
    select ${repositoryColumns(sql)}, repository.key, ${levelIn(sql, sql`${me?.id ?? null}::bigint`)} as level
    from page
    join forge.repository using (id)`
}

async function withOwners(sql: Sql, reader: Reader, rows: readonly Row[]): Promise<Listed[]> {
  const owners = await accountsByIds(sql, [...new Set(rows.map(({ owner_id }) => owner_id))])
  return rows.flatMap((row): Listed[] => {
    const owner = owners.find(({ id }) => id === row.owner_id)
    const level = reader.me?.is_admin ? LEVELS.owner : Math.max(row.level, row.is_private ? 0 : LEVELS.read)
    return owner ? [{ row, owner, level }] : []
  })
}

/** The id and the columns of all orders. */
const orderColumns = (sql: Sql) => sql`
  repository.id, repository.key, repository.created_at, repository.updated_at, repository.size, repository.stars_count,
  repository.forks_count`

/** A fixed map of literals, so that each order matches its index. */
const orders: Readonly<Record<RepositoryOrder, (sql: Sql) => Fragment>> = {
  'alpha asc': (sql) => sql`order by key, id`,
  'alpha desc': (sql) => sql`order by key desc, id desc`,
  'created asc': (sql) => sql`order by created_at, id`,
  'created desc': (sql) => sql`order by created_at desc, id desc`,
  'updated asc': (sql) => sql`order by updated_at, id`,
  'updated desc': (sql) => sql`order by updated_at desc, id desc`,
  'size asc': (sql) => sql`order by size, id`,
  'size desc': (sql) => sql`order by size desc, id desc`,
  'stars asc': (sql) => sql`order by stars_count, id`,
  'stars desc': (sql) => sql`order by stars_count desc, id desc`,
  'forks asc': (sql) => sql`order by forks_count, id`,
  'forks desc': (sql) => sql`order by forks_count desc, id desc`,
  'id asc': (sql) => sql`order by id`,
  'id desc': (sql) => sql`order by id desc`,
}
