import type { Page } from '../db/page.ts'
import { queryText } from '../forge/protocol/query.ts'
import { pageQuery } from '../http/route/page.ts'
import { type Html, html, noneOf, type Piece, sizeOf, withQuery } from './html.ts'
import { card, inOrder, listOf, pageLinks } from './layout.ts'

/** Rows on a page of a list. */
export const listed = 50

/** The page of a list in a query, and what has just been done. */
export const listQuery = { page: pageQuery().page, done: queryText }

/** The position of a page of a list, as the API reads it. */
export const pageAt = (page: number) => ({ page: String(page), limit: String(listed) })

interface List<Row> {
  /** The address of the list, without a query. */
  address: string
  /** What is selected of it. */
  selection?: Readonly<Record<string, string>>
  /** Whether the selection is what somebody looks for; absent: yes. Else it is one of several lists. */
  isSearch?: boolean
  page: Pick<Page<Row>, 'rows' | 'total' | 'hasMore' | 'page'>
  /** The noun for a row. */
  noun: readonly [one: string, many?: string]
  rowOf: (row: Row) => Html
  /** What it says without rows, if nothing is selected; absent: that there are none yet. */
  empty?: Piece
}

/** A list with its length and the way to its other pages. */
export function listSection<Row>({
  address,
  selection = {},
  isSearch = true,
  page,
  noun,
  rowOf,
  empty,
}: List<Row>): Html {
  const isFiltered = isSearch && Object.keys(selection).some((name) => name !== 'by')
  const none = isFiltered || page.page > 1 ? noneOf(noun, { isFiltered, page: page.page }) : empty
  return html`${card('list', sizeOf(page, ...noun))`${listOf(page.rows.map(rowOf), none ?? noneOf(noun))}`}
${pageLinks({ ...page, limit: listed }, address, selection, inOrder)}`
}

/**
 * A row of a list: its name, facts about it, its links and forms, and what it is. In a wide window each is a column of the
 * list.
 */
export const rowOf = (name: Piece, facts: Piece, actions?: Piece, summary: Piece = ''): Html => html`
<li class="row"><h3>${name}</h3>${summary === '' ? undefined : html`<p class="summary" dir="auto">${summary}</p>`}<p class="meta">${facts}</p>${actions === undefined ? undefined : html`<div class="actions">${actions}</div>`}</li>`

/** Links to the orders of a list; `present`: the order that is shown. */
export function sortLinks(
  address: string,
  selection: Readonly<Record<string, string>>,
  present: string,
  orders: Readonly<Record<string, string>>,
): Html {
  const links = Object.entries(orders).map(([value, text]) => {
    const to = withQuery(address, { ...selection, by: value })
    return html` <a href="${to}"${value === present ? html` aria-current="true"` : undefined}>${text}</a>`
  })
  return html`<p class="actions admin-order"><span class="meta">Sorted by</span>${links}</p>`
}

/** `created desc` as the API takes it. */
export function orderOf(text: string): { sort: string; order: string } {
  const [sort = '', order = ''] = text.split(' ')
  return { sort, order }
}
