import { type Html, html } from '../html.ts'

// Feeds as Atom (RFC 4287) and as RSS 2.0.

/** An entry, whose address is its id. */
export interface FeedEntry {
  address: string
  title: string
  published: string
  updated: string
  /** Absent: that of the feed. */
  author?: string | undefined
  text: Html
  /** Whether the text is a part of what the address shows. */
  isSummary?: boolean
}

/** What both formats say of a feed. */
interface Feed {
  /** Its own address, and that of the page which shows the same. */
  self: string
  page: string
  title: string | Html
  author: string | Html
  /** The newest first. */
  entries: readonly FeedEntry[]
}

export const feedTypes = {
  atom: 'application/atom+xml; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
} as const
export type FeedFormat = keyof typeof feedTypes

/** When a feed without entries has changed: always the same, so that its `ETag` is. */
const never = new Date(0).toISOString()

const changeOf = ({ entries }: Feed) =>
  entries
    .map(({ updated }) => new Date(updated).toISOString())
    .sort()
    .at(-1) ?? never

/** A feed as a document. */
export const feedAs = (format: FeedFormat, feed: Feed): string =>
  ofXml(format === 'atom' ? atomOf(feed) : rssOf(feed))

const atomOf = (feed: Feed) => html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${feed.self}</id>
<title>${feed.title}</title>
<updated>${changeOf(feed)}</updated>
<author><name>${feed.author}</name></author>
<link rel="self" type="application/atom+xml" href="${feed.self}"/>
<link rel="alternate" type="text/html" href="${feed.page}"/>
${feed.entries.map(
  ({ address, title, published, updated, author, text, isSummary }) => html`<entry>
<id>${address}</id>
<title>${title}</title>
<link rel="alternate" type="text/html" href="${address}"/>
<published>${published}</published>
<updated>${updated}</updated>
${author === undefined ? undefined : html`<author><name>${author}</name></author>`}
${isSummary ? html`<summary type="html">${text.text}</summary>` : html`<content type="html" xml:base="${address}">${text.text}</content>`}
</entry>
`,
)}</feed>
`

/** A time as RSS has it (RFC 822, with a year of four digits). */
const asRss = (iso: string) => new Date(iso).toUTCString()

const rssOf = (feed: Feed) => html`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>${feed.title}</title>
<link>${feed.page}</link>
<description>${feed.title}</description>
<atom:link rel="self" type="application/rss+xml" href="${feed.self}"/>
<lastBuildDate>${asRss(changeOf(feed))}</lastBuildDate>
${feed.entries.map(
  ({ address, title, published, author, text }) => html`<item>
<guid isPermaLink="true">${address}</guid>
<title>${title}</title>
<link>${address}</link>
<dc:creator>${author ?? feed.author}</dc:creator>
<pubDate>${asRss(published)}</pubDate>
<description>${text.text}</description>
</item>
`,
)}</channel>
</rss>
`

/** A document without the characters that XML 1.0 does not allow, as texts of users may have them. */
const ofXml = ({ text }: Html) =>
  text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
