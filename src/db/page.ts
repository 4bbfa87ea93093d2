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

/** The parts of a statement that reads a page; `pageOf` adds the total, the order and the limits. */
export interface PageQuery {
  /** Common table expressions that the other parts read, without the word `with`. */
  with?: Fragment
  /** The number of rows of the whole list: a query or an expression. */
  total: Fragment
  /** Selects the ids of the list, so that `rows` joins and computes the other columns for the page only. */
  keys?: Fragment
  /** Selects the rows: those of the table `page` if there are `keys`, otherwise of the whole list. */
  rows: Fragment
  /** `order by` columns that `rows` selects, without the name of a table. */
  by: Fragment
}

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
  { with: given, hits, total, keys, rows, by }: PageQuery & { hits?: Fragment },
): Promise<{ hits: number; page: Page<Row> }> {
  const none = sql``
  const cut = sql`${by} limit ${limit} offset ${offsetOf({ page, limit })}`
  const picked = keys && sql`page as (${keys} ${cut})`
  const tables = given && picked ? sql`${given}, ${picked}` : (given ?? picked)
  // Each row holds the total; if the page is empty, a single row without an id holds it.
  const found = await sql<({ hits?: number; total: number } & (Row | { id: null }))[]>`
    ${tables ? sql`with ${tables}` : none}
    select ${hits ? sql`(${hits}) as hits,` : none} (${total}) as total, item.*
    from (select) as always
    left join (${rows} ${keys ? none : cut}) as item on true
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
