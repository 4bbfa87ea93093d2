import { textAs } from '../http/route/sends.ts'
import { beginningsOfPosts, type PostBeginning } from '../site/news-store.ts'
import { asLines } from './feeds/activity-entries.ts'
import { type FeedEntry, feedAs, feedTypes } from './feeds/document.ts'
import { type Html, html } from './html.ts'
import { plainOf } from './plain.ts'
import { publicPage, route } from './route.ts'
import { type PostContext, postBody } from './site/post-body.ts'
import { siteNameMark } from './site-name.ts'

/** How many posts the feed has, and how many characters of each at most: a feed is small whatever is published. */
const maximum = { posts: 20, characters: 32_768 }

export const getFeed = route('GET /feed.atom', {
  summary: 'The newest news posts as an Atom feed',
  access: publicPage,
  returns: textAs(200, feedTypes.atom),
  shared: 'until written',
  handler: async ({ sql, tools, from: { host } }) => {
    const posts = await beginningsOfPosts(sql, { count: maximum.posts }, maximum.characters)
    const entries: FeedEntry[] = []
    // One after the other, so that a feed takes one of the rendering threads at most.
    for (const post of posts) entries.push(await entryOf({ tools, from: { host } }, post))
    return feedAs('atom', {
      self: `${host}feed.atom`,
      page: `${host}overview/news`,
      title: html`News · ${siteNameMark}`,
      author: html`${siteNameMark}`,
      entries,
    })
  },
})

const lastChange = ({ created_at, updated_at }: PostBeginning) => updated_at ?? created_at

/** A post, whose address is its id. */
async function entryOf(context: PostContext, post: PostBeginning): Promise<FeedEntry> {
  return {
    address: `${context.from.host}overview/news/${post.id}`,
    title: post.title,
    published: post.created_at,
    updated: lastChange(post),
    text: await markupOf(context, post),
    isSummary: !post.is_whole,
  }
}

/** A post as HTML, or its beginning as text; programs have no style sheet that keeps the lines of a text. */
async function markupOf(context: PostContext, { excerpt, is_whole, format }: PostBeginning): Promise<Html> {
  if (is_whole && format === 'markdown') return postBody(context, { content: excerpt, format })
  const text = is_whole ? excerpt : `${format === 'markdown' ? plainOf(excerpt) : excerpt}…`
  return asLines(text)
}
