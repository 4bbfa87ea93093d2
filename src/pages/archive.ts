import * as v from 'valibot'
import { textAs } from '../http/route/sends.ts'
import { titlesOfItems } from '../site/media-store.ts'
import { beginningsOfPosts } from '../site/news-store.ts'
import type { ListPart } from '../site/titled-store.ts'
import { type Html, html, noneOf } from './html.ts'
import { card, listOf, page } from './layout.ts'
import { excerptLength, mediaList, postEntry } from './panel.ts'
import { htmlType } from './profile.ts'
import { route } from './route.ts'
import { type Visitor, visitor } from './session/viewer.ts'
import { addressOf, besideIn, type Listing, listingOf, partLinks } from './site/listing.ts'

/** What the two archives declare alike. */
const archive = {
  access: visitor,
  query: { at: v.optional(v.unknown()) },
  returns: textAs(200, htmlType),
  shared: 'until written',
} as const

export const getNewsArchivePage = route('GET /overview/news', {
  ...archive,
  summary: 'All news posts, newest first, as a page',
  handler: async ({ caller, query, sql, from: { host } }) => {
    const read = (part: ListPart) => beginningsOfPosts(sql, part, excerptLength)
    const listing = await listingOf(read, besideIn(query.at))
    const entries = listing.rows.map((post) => postEntry(post, host))
    const list = listOf(entries, noneOf(['post']))
    return archivePage({ host, caller, name: 'news', what: 'posts', listing, list })
  },
})

export const getMediaArchivePage = route('GET /overview/media', {
  ...archive,
  summary: 'All media items, newest first, as a page',
  handler: async ({ caller, query, sql, from: { host } }) => {
    const listing = await listingOf((part) => titlesOfItems(sql, part), besideIn(query.at))
    const list = mediaList(listing.rows, host)
    return archivePage({ host, caller, name: 'media', what: 'media', listing, list })
  },
})

const headings = { news: 'News', media: 'Media' } as const

/** A page of an archive. */
interface Archive {
  host: string
  caller: Visitor
  /** The last part of its address. */
  name: keyof typeof headings
  /** What it lists, in the plural. */
  what: string
  listing: Listing
  list: Html
}

function archivePage({ host, caller, name, what, listing, list }: Archive): string {
  const until = listing.current && listing.rows[0]?.created_at.slice(0, 10)
  const part = until === undefined ? '' : ` until ${until}`
  const main = html`<div class="title"><h1>${headings[name]}</h1></div>
${card('all', html`All ${what}${part}`)`${list}`}
${partLinks(listing, what, (to) => addressOf(`${host}overview/${name}`, to))}
<p class="actions"><a href="${host}overview">Overview</a></p>`
  return page({ host, caller, title: `${headings[name]}${part}`, main, current: 'overview', hasFeed: true })
}
