import type { Page } from '../../db/page.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { pageQuery } from '../../http/route/page.ts'
import { type Html, html, type Piece, sizeOf } from '../html.ts'
import { listOf, pageLinks } from '../layout.ts'

/** Rows on a page of a list. */
export const listed = 50

/** The page of a list in a query, and what has just been done. */
export const listQuery = { page: pageQuery().page, done: queryText }

/** What a query selects of a list: only what is given, for links and for the API. */
export const selected = (given: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))

/** The position of a page of a list, as the API reads it. */
export const pageAt = (page: number) => ({ page: String(page), limit: String(listed) })

interface List<Row> {
  /** The address of the list, without a query. */
  address: string
  /** What is selected of it. */
  selection?: Readonly<Record<string, string>>
  page: Pick<Page<Row>, 'rows' | 'total' | 'hasMore' | 'page'>
  /** What one row is, and several. */
  words: readonly [one: string, many?: string]
  rowOf: (row: Row) => Html
  empty: Piece
}

/** A list with its length and the way to its other pages. */
export function listSection<Row>({ address, selection = {}, page, words, rowOf, empty }: List<Row>): Html {
  const at = (number: number) => `${address}?${new URLSearchParams({ ...selection, page: String(number) })}`
  const hasNext = page.page * listed < page.total
  return html`<section class="card" aria-labelledby="list">
<h2 id="list">${sizeOf(page, ...words)}</h2>
${listOf(page.rows.map(rowOf), empty)}
</section>
${pageLinks({ page: page.page, hasNext, address: at }, 'Page before', 'Next page')}`
}

/** A row of a list: what it is, what is known of it, and what can be done with it. */
export const rowOf = (name: Piece, facts: Piece, actions?: Piece): Html => html`
<li class="row"><div><h3>${name}</h3><p class="meta">${facts}</p></div>${actions === undefined ? undefined : html`<div class="actions">${actions}</div>`}</li>`

/** Links to the orders of a list, of which one is the present one. */
export function sortLinks(
  address: string,
  selection: Readonly<Record<string, string>>,
  present: string,
  orders: Readonly<Record<string, string>>,
): Html {
  const links = Object.entries(orders).map(([value, words]) => {
    const query = new URLSearchParams({ ...selection, by: value })
    return html` <a href="${address}?${String(query)}"${value === present ? html` aria-current="true"` : undefined}>${words}</a>`
  })
  return html`<p class="actions admin-order"><span class="meta">Sorted by</span>${links}</p>`
}

/** `created desc` as the API takes it. */
export function orderOf(text: string): { sort: string; order: string } {
  const [sort = '', order = ''] = text.split(' ')
  return { sort, order }
}
