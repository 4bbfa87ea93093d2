import { textAs } from '../http/route/sends.ts'
import { beginningsOfPosts, type PostBeginning } from '../site/news-store.ts'
import { type Html, html } from './html.ts'
import { plainOf } from './plain.ts'
import { publicPage, route } from './route.ts'
import { type PostContext, postBody } from './site/post-body.ts'
import { siteNameMark } from './site-name.ts'

/** Media type of Atom feeds (RFC 4287, section 7). */
const atomType = 'application/atom+xml; charset=utf-8'

/** How many posts the feed has, and how many characters of each at most: a feed is small whatever is published. */
const maximum = { posts: 20, characters: 32_768 }

/** When a feed without posts has changed: always the same, so that its `ETag` is. */
const never = new Date(0).toISOString()

export const getFeed = route('GET /feed.atom', {
  summary: 'The newest news posts as an Atom feed',
  access: publicPage,
  returns: textAs(200, atomType),
  shared: 'until written',
  handler: async ({ sql, tools, from: { host } }) => {
    const posts = await beginningsOfPosts(sql, { count: maximum.posts }, maximum.characters)
    const entries: Html[] = []
    // One after the other, so that a feed takes one of the rendering threads at most.
    for (const post of posts) entries.push(await entryOf({ tools, from: { host } }, post))
    return ofXml(html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${host}feed.atom</id>
<title>News · ${siteNameMark}</title>
<updated>${posts.map(lastChange).sort().at(-1) ?? never}</updated>
<author><name>${siteNameMark}</name></author>
<link rel="self" type="application/atom+xml" href="${host}feed.atom"/>
<link rel="alternate" type="text/html" href="${host}overview/news"/>
${entries}</feed>
`)
  },
})

const lastChange = ({ created_at, updated_at }: PostBeginning) => updated_at ?? created_at

/** A post, whose address is its id. */
async function entryOf(context: PostContext, post: PostBeginning): Promise<Html> {
  const address = `${context.from.host}overview/news/${post.id}`
  const { text } = await markupOf(context, post)
  return html`<entry>
<id>${address}</id>
<title>${post.title}</title>
<link rel="alternate" type="text/html" href="${address}"/>
<published>${post.created_at}</published>
<updated>${lastChange(post)}</updated>
${post.is_whole ? html`<content type="html" xml:base="${address}">${text}</content>` : html`<summary type="html">${text}</summary>`}
</entry>
`
}

/** A post as HTML, or its beginning as text; programs have no style sheet that keeps the lines of a text. */
async function markupOf(context: PostContext, { excerpt, is_whole, format }: PostBeginning): Promise<Html> {
  if (is_whole && format === 'markdown') return postBody(context, { content: excerpt, format })
  const text = is_whole ? excerpt : `${format === 'markdown' ? plainOf(excerpt) : excerpt}…`
  const lines = text.split(/\r\n|[\r\n]/)
  return html`<p>${lines.map((line, at) => (at === 0 ? line : html`<br>${line}`))}</p>`
}

/** A document without the characters that XML 1.0 does not allow, as posts may have them. */
const ofXml = ({ text }: Html) =>
  text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
