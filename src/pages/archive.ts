import * as v from 'valibot'
import { pageQuery } from '../http/route/page.ts'
import { titlesOfItems } from '../site/media-store.ts'
import { beginningsOfPosts } from '../site/news-store.ts'
import type { RowRange } from '../site/titled.ts'
import { type Html, html } from './html.ts'
import { listOf, page, pageLinks } from './layout.ts'
import { excerptLength, mediaList, postEntry } from './panel.ts'
import { htmlType } from './profile.ts'
import { route } from './route.ts'
import { type Viewer, viewerOf, visitor } from './session/viewer.ts'
import { type Listing, listingOf } from './site/listing.ts'

/** What the two archives declare alike. */
const archive = {
  access: visitor,
  query: { page: pageQuery().page },
  returns: [200, v.string()],
  media: htmlType,
  shared: 'until written',
} as const

export const getNewsArchivePage = route('GET /overview/news', {
  ...archive,
  summary: 'All news posts, newest first, as a page',
  handler: async ({ caller, query, sql, from: { host } }) => {
    const read = (range: RowRange) => beginningsOfPosts(sql, range, excerptLength)
    const listing = await listingOf(read, query.page)
    const entries = listing.rows.map((post) => postEntry(post, host))
    const list = listOf(entries, 'Nothing has been published yet.')
    return archivePage({ host, viewer: viewerOf(caller), name: 'news', what: 'posts', listing, list })
  },
})

export const getMediaArchivePage = route('GET /overview/media', {
  ...archive,
  summary: 'All media items, newest first, as a page',
  handler: async ({ caller, query, sql, from: { host } }) => {
    const listing = await listingOf((range) => titlesOfItems(sql, range), query.page)
    const list = mediaList(listing.rows)
    return archivePage({ host, viewer: viewerOf(caller), name: 'media', what: 'media', listing, list })
  },
})

const headings = { news: 'News', media: 'Media' } as const

/** A page of an archive. */
interface Archive {
  host: string
  viewer: Viewer | undefined
  /** The last part of its address. */
  name: keyof typeof headings
  /** What it lists, in the plural. */
  what: string
  listing: Listing
  list: Html
}

function archivePage({ host, viewer, name, what, listing, list }: Archive): string {
  const address = (to: number) => `${host}overview/${name}${to === 1 ? '' : `?page=${to}`}`
  const part = listing.page === 1 ? '' : `, page ${listing.page}`
  const main = html`<div class="title"><h1>${headings[name]}</h1></div>
<section class="card" aria-labelledby="all">
<h2 id="all">All ${what}${part}</h2>
${list}
</section>
${pageLinks({ ...listing, address }, `Newer ${what}`, `Older ${what}`)}
<p class="actions"><a href="${host}overview">Overview</a></p>`
  return page({ host, viewer, title: `${headings[name]}${part}`, main, current: 'overview', hasFeed: true })
}
