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
}

/** The page with each row converted, for example to the shape that a reply shows. */
export function mapPage<Row, To>({ rows, ...place }: Page<Row>, convert: (row: Row) => To): Page<To> {
  return { ...place, rows: rows.map((row) => convert(row)) }
}

/** The first row of a page, counted from 0; exact for every page that a client can ask for. */
export const offsetOf = ({ page, limit }: Paging) => Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER)

/** The list that a page is read from, and its order. */
export interface PagedList {
  /** Common table expressions that the other parts read, without the word `with`. */
  with?: Fragment
  /** The rows of the list: `from … where …`. */
  from: Fragment
  /** Their number, where it is known without counting: a query or an expression. */
  total?: Fragment
  /** `order by` columns that are selected, without the name of a table. */
  by: Fragment
}

/**
 * The parts of a statement that reads a page; `pageOf` adds the total, the order and the limits. `columns` selects them
 * from the list; or `keys` selects ids and what the order needs, and `rows` the columns for those in the table `page`.
 */
type PageQuery = PagedList & ({ columns: Fragment } | { keys: Fragment; rows: Fragment })

/** Reads a page of a list and its total in one statement. */
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
  const { with: given, hits, from, total = sql`select count(*) ${from}`, by } = query
  const none = sql``
  const cut = sql`${by} limit ${limit} offset ${offsetOf({ page, limit })}`
  const picked = 'keys' in query ? sql`page as (select ${query.keys} ${from} ${cut})` : undefined
  const rows = 'keys' in query ? query.rows : sql`select ${query.columns} ${from} ${cut}`
  const tables = given && picked ? sql`${given}, ${picked}` : (given ?? picked)
  // Each row holds the total; if the page is empty, a single row without an id holds it.
  const found = await sql<({ hits?: number; total: number } & (Row | { id: null }))[]>`
    ${tables ? sql`with ${tables}` : none}
    select ${hits ? sql`(${hits}) as hits,` : none} (${total}) as total, item.*
    from (select) as always
    left join (${rows}) as item on true
    ${by}`
  return {
    hits: found[0]?.hits ?? 0,
    page: {
      page,
      limit,
      rows: found.filter((row): row is Row & { total: number } => row.id !== null),
      total: found[0]?.total ?? 0,
    },
  }
}
