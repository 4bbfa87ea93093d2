import type { Page } from '../../db/page.ts'
import { type Html, html, type Piece } from '../html.ts'
import { listOf, page, pageLinks } from '../layout.ts'
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

/** What a visitor asked a list for; values of the address. */
type ListingQuery = Readonly<Record<string, string>>

/** A choice that a list offers, and what it adds to the address. */
interface Choice {
  text: string
  query: ListingQuery
}

/** A list of the server that can be searched. */
interface Listing {
  host: string
  caller: Visitor
  list: (typeof tabs)[number][0]
  /** What the text is searched in. */
  hint: string
  /** The text and the choice of the address, as they are understood. */
  query: ListingQuery & { q: string }
  /** Orders or kinds; each sets the same names. */
  choices: readonly Choice[]
  found: Page<unknown>
  entries: readonly Html[]
}

/** A page of a list, with links to the other lists, a search field, choices, and links to its other pages. */
export function listingPage({ host, caller, list, hint, query, choices, found, entries }: Listing): string {
  const address = (tab: string, more: ListingQuery) => {
    const query = new URLSearchParams(Object.entries(more).filter(([, value]) => value !== '')).toString()
    return `${host}explore/${tab}${query && `?${query}`}`
  }
  const tab = ([name, text]: (typeof tabs)[number]): Piece =>
    html`<li><a href="${address(name, { q: query.q })}"${current(name === list)}>${text}</a></li>`
  const { q, ...chosen } = query
  const choice = ({ text, query: wanted }: Choice): Piece => {
    const isChosen = Object.entries(wanted).every(([name, value]) => chosen[name] === value)
    return html`<a href="${address(list, { q, ...wanted })}"${current(isChosen)}>${text}</a>`
  }
  const main = html`<div class="title"><h1>Explore</h1>
<nav aria-label="Explore"><ul>${tabs.map(tab)}</ul></nav></div>
<form class="search" role="search" aria-label="${nameOf(list)}" action="${host}explore/${list}">
<label for="q">${hint}</label>
<div class="search-row"><input class="search-field" type="search" id="q" name="q" value="${q}"> <button>Search</button></div>
${Object.entries(chosen).map(([name, value]) => (value === '' ? undefined : html`<input type="hidden" name="${name}" value="${value}">`))}
</form>
<p class="actions choices">${choices.map(choice)}</p>
<section class="card" aria-label="${nameOf(list)}">
${listOf(entries, q === '' ? 'There is nothing that you may see.' : html`Nothing is found for &ldquo;${q}&rdquo;.`)}
</section>
${pageLinks(
  {
    page: found.page,
    hasNext: found.page * found.limit < found.total,
    address: (number) => address(list, { q, ...chosen, page: String(number) }),
  },
  'Previous',
  'Next',
)}`
  const title = q === '' ? nameOf(list) : `${q} · ${nameOf(list)}`
  return page({ host, caller, title, main, current: 'explore' })
}

const nameOf = (list: string) => tabs.find(([name]) => name === list)?.[1] ?? ''

const current = (isCurrent: boolean) => (isCurrent ? html` aria-current="true"` : undefined)
