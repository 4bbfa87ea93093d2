import { allRows } from './rows.ts'
import type { Fragment, Sql } from './sql.ts'

/** The position in a list: `page` counts from 1, `limit` is the number of rows per page. */
export interface Paging {
  page: number
  limit: number
}

/** A page of a list, and how many rows the whole list has. */
export interface Page<Row> extends Paging {
  rows: readonly Row[]
  total: number
  /** Whether the list has more rows than `total`, which are not counted; there are then some behind this page. */
  hasMore?: boolean
}

/** The page with each row converted, for example to the shape that a reply shows. */
export function mapPage<Row, To>({ rows, ...place }: Page<Row>, convert: (row: Row) => To): Page<To> {
  return { ...place, rows: rows.map((row) => convert(row)) }
}

/** A page of a list that is in memory. */
export function pageFrom<Row>(list: readonly Row[], { page, limit }: Paging): Page<Row> {
  const first = offsetOf({ page, limit })
  return { page, limit, rows: list.slice(first, first + limit), total: list.length }
}

/** The first row of a page, counted from 0; exact for every page that a client can request. */
export const offsetOf = ({ page, limit }: Paging) => Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER)

/** Up to how many rows a list is counted, and one whose rows take long to find, such as those with a text. */
const maxCounted = { listed: 10_000, searched: 1000 }

/** Up to how many rows a list is counted: always to one row after the page. */
const listedTo = (paging: Paging) => Math.max(maxCounted.listed, offsetOf(paging) + paging.limit + 1)

/** Up to how many rows a list is read whose rows take long to find. */
export const countedTo = (paging: Paging) =>
  Math.max(maxCounted.searched, offsetOf(paging) + paging.limit + 1)

/**
 * A page of the rows that match a condition, from the first rows of a list in its order: `list` selects them without
 * order, `matching` is the condition on these columns, `rows` and `by` are those of `pageOf`. Undefined if there are more
 * rows and the first `reads` of them do not fill the page: then an index must be read for the few that match.
 */
export async function pageAmongFirst<Row extends { id: number }>(
  sql: Sql,
  paging: Paging,
  {
    list,
    matching,
    rows,
    by,
    reads,
  }: { list: Fragment; matching: Fragment; rows: Fragment; by: Fragment; reads: number },
): Promise<Page<Row> | undefined> {
  const limit = countedTo(paging)
  const read = Math.max(reads, 2 * limit)
  const { hits: unread, page } = await pageAmongHits<Row>(sql, paging, {
    with: sql`
      first as materialized (${list} ${by} limit ${read}),
      match as materialized (select * from first where ${matching} limit ${limit + 1})`,
    // To count the rows of `first` would read all of them, also where the page was full before.
    hits: sql`case when (select count(*) from match) > ${limit} then 0 else ${read} - (select count(*) from first) end`,
    from: sql`from match`,
    keys: sql`id`,
    rows,
    by,
  })
  return pageIfFilled(page, unread > 0)
}

/**
 * A page of a list whose rows take long to find, from its first rows; undefined if more rows may be on it, unless these are
 * all (`isAll`).
 */
export function pageIfFilled<Row>(page: Page<Row>, isAll: boolean): Page<Row> | undefined {
  if (isAll || page.total > countedTo(page)) return boundedPage(page)
  return page.total > offsetOf(page) + page.limit ? { ...page, hasMore: true } : undefined
}

/** A page of such a list, which was read up to one row more than `countedTo`. */
export const boundedPage = <Row>(page: Page<Row>): Page<Row> => boundedTo(countedTo(page), page)

const boundedTo = <Row>(limit: number, page: Page<Row>): Page<Row> =>
  page.total > limit ? { ...page, total: limit, hasMore: true } : page

/** The number of rows of a list up to the bound of a page, and one more if there are more. */
export const countOf = (sql: Sql, paging: Paging, from: Fragment): Fragment =>
  sql`select count(*) from (select ${from} limit ${listedTo(paging) + 1}) as counted`

/** A page of such a list, read in its order; `columns` are the ids of the rows and what the order needs. */
export async function pageInOrder<Row extends { id: number }>(
  sql: Sql,
  paging: Paging,
  { columns, from, by, rows }: { columns: Fragment; from: Fragment; by: Fragment; rows: Fragment },
): Promise<Page<Row>> {
  const first = sql`first as materialized (select ${columns} ${from} ${by} limit ${countedTo(paging) + 1})`
  const query = { with: first, from: sql`from first`, keys: sql`id`, by, rows }
  return boundedPage(await pageOf<Row>(sql, paging, query))
}

/** The list that a page is read from, and its order. */
export interface PagedList {
  /** Common table expressions that the other parts read, without the word `with`. */
  with?: Fragment
  /** The rows of the list: `from … where …`. */
  from: Fragment
  /** Their number, where `from` is not what is counted: an expression. */
  total?: Fragment
  /** `order by` columns that are selected, without the name of a table. */
  by: Fragment
}

/**
 * The parts of a statement that reads a page; `pageOf` adds the total, the order and the limits. `columns` selects them
 * from the list; or `keys` selects ids and what the order needs, and `rows` the columns for those in the table `page`.
 */
type PageQuery = PagedList & ({ columns: Fragment } | { keys: Fragment; rows: Fragment })

/** Reads a page of a list in one statement, and counts the list to a bound. */
export async function pageOf<Row extends { id: number }>(
  sql: Sql,
  paging: Paging,
  query: PageQuery,
): Promise<Page<Row>> {
  const { page } = await pageAmongHits<Row>(sql, paging, query)
  return page
}

/** Like `pageOf`, with the number of `hits` in an index to which the list was narrowed down. */
export async function pageAmongHits<Row extends { id: number }>(
  sql: Sql,
  { page, limit }: Paging,
  query: PageQuery & { hits?: Fragment },
): Promise<{ hits: number; page: Page<Row> }> {
  const { with: ofList, hits, from, total = countOf(sql, { page, limit }, from), by } = query
  const none = sql``
  const range = sql`${by} limit ${limit} offset ${offsetOf({ page, limit })}`
  const ofPage = 'keys' in query ? sql`page as (select ${query.keys} ${from} ${range})` : undefined
  const rows = 'keys' in query ? query.rows : sql`select ${query.columns} ${from} ${range}`
  const tables = ofList && ofPage ? sql`${ofList}, ${ofPage}` : (ofList ?? ofPage)
  // Each row has the total; if the page is empty, a single row without an id has it.
  const items = await allRows(sql<({ hits?: number; total: number } & (Row | { id: null }))[]>`
    ${tables ? sql`with ${tables}` : none}
    select ${hits ? sql`(${hits}) as hits,` : none} (${total}) as total, item.*
    from (select) as always
    left join (${rows}) as item on true
    ${by}`)
  return {
    hits: items[0]?.hits ?? 0,
    page: boundedTo(listedTo({ page, limit }), {
      page,
      limit,
      rows: items.filter((item): item is Row & { total: number } => item.id !== null),
      total: items[0]?.total ?? 0,
    }),
  }
}
