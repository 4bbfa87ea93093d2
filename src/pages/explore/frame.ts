import type { Page } from '../../db/page.ts'
import { hiddenFields } from '../form.ts'
import { type Html, html, noneOf, type Piece, sizeOf, withoutEmpty, withQuery } from '../html.ts'
import { card, inOrder, listOf, page, pageLinks } from '../layout.ts'
import type { Visitor } from '../session/viewer.ts'

/** Rows of a page of each list. */
export const rowsOfPage = 30

/** The lists, with their names. */
const tabs = [
  ['repos', 'Repositories'],
  ['organizations', 'Organizations'],
  ['users', 'People'],
  ['packages', 'Packages'],
] as const

/** Parameters of the address of a list. */
type ListQuery = Readonly<Record<string, string>>

/** A choice that a list offers, and what it adds to the address. */
interface Choice {
  text: string
  query: ListQuery
}

/** A list of the server that can be searched. */
interface Listing<Row> {
  host: string
  caller: Visitor
  list: (typeof tabs)[number][0]
  /** What the text is searched in. */
  hint: string
  /** The text and the choice of the address; of an unknown choice the first one. */
  query: ListQuery & { q: string }
  /** Orders or kinds; each sets the same names. */
  choices: readonly Choice[]
  results: Page<Row>
  /** The noun for a row. */
  noun: readonly [one: string, many?: string]
  rowOf: (row: Row) => Html
}

/** A page of a list, with links to the other lists, a search field, choices, and links to its other pages. */
export function listingPage<Row>(listing: Listing<Row>): string {
  const { host, caller, list, hint, query, choices, results, noun, rowOf } = listing
  const addressOf = (tab: string) => `${host}explore/${tab}`
  const address = addressOf(list)
  const { q, ...chosen } = query
  const tab = ([name, text]: (typeof tabs)[number]): Piece =>
    html`<li><a href="${withQuery(addressOf(name), { q })}"${current(name === list)}>${text}</a></li>`
  const choice = (each: Choice): Piece => {
    const isChosen = Object.entries(each.query).every(([name, value]) => chosen[name] === value)
    return html`<a href="${withQuery(address, { q, ...each.query })}"${current(isChosen)}>${each.text}</a>`
  }
  const [one, many = `${one}s`] = noun
  const empty =
    results.page > 1
      ? noneOf(noun, results)
      : q === ''
        ? html`No ${many} that you may see.`
        : html`No ${many} match &ldquo;${q}&rdquo;.`
  const main = html`<div class="title"><h1>Explore</h1>
<nav aria-label="Explore"><ul>${tabs.map(tab)}</ul></nav></div>
<form class="search" role="search" aria-label="${nameOf(list)}" action="${address}">
<label for="q">${hint}</label>
<div class="search-row"><input class="search-field" type="search" id="q" name="q" value="${q}"> <button>Search</button></div>
${hiddenFields(withoutEmpty(chosen))}
</form>
<p class="actions choices">${choices.map(choice)}</p>
${card('list', sizeOf(results, ...noun))`${listOf(results.rows.map(rowOf), empty)}`}
${q === '' ? undefined : html`<p class="meta">Issues, code and commits are searched on the pages of their repository.</p>`}
${pageLinks(results, address, query, inOrder)}`
  const title = q === '' ? nameOf(list) : `${q} · ${nameOf(list)}`
  return page({ host, caller, title, main, current: 'explore' })
}

const nameOf = (list: string) => tabs.find(([name]) => name === list)?.[1] ?? ''

const current = (isCurrent: boolean) => (isCurrent ? html` aria-current="true"` : undefined)
