import { pictureUrl } from '../forge/accounts/avatar.ts'
import type { PostFormat } from '../site/news-store.ts'
import { presenceInterval } from '../site/presence-store.ts'
import type { PanelTexts } from '../site/stream/panel-store.ts'
import { presenceChart, type Sample } from './chart.ts'
import { type Html, html, timeOf, webAddress } from './html.ts'
import { listOf } from './layout.ts'
import { plainOf } from './plain.ts'

/** The panel as it is shown (`site/stream/panel-store.ts`). */
interface Panel {
  currentUsers: { id: number; username: string; started_at: string }[]
  online: { users: number; orMore: boolean }
  news: { id: number; title: string; excerpt: string; format: PostFormat; created_at: string }[]
  media: {
    id: number
    title: string
    description: string
    media_type: 'image' | 'video'
    url: string
    /** The id of the picture that was sent; null: the address is somebody else's. */
    picture: string | null
    created_at: string
  }[]
  recentActivity: { id: number; description: string; created_at: string }[]
  general: {
    users: { total: number; mostRecent: { username: string; id: number } | null }
    reports: { named: string; associated: string; logged: string }
    build: { pipeline: string; buildNumber: string; version: string }
  }
  presence: Sample[]
}

/** What sections with links have to know of the site. */
export interface Site {
  host: string
  /** Whether administrators may publish. */
  publishing: boolean
}

/** The texts are JSON that our own statement wrote. */
export function parsePanel(texts: PanelTexts): Panel {
  return {
    currentUsers: JSON.parse(texts.currentUsers),
    online: JSON.parse(texts.online),
    news: JSON.parse(texts.news),
    media: JSON.parse(texts.media),
    recentActivity: JSON.parse(texts.recentActivity),
    general: JSON.parse(texts.general),
    presence: JSON.parse(texts.presence),
  }
}

/** How many people are seen at once: they come before the news on a phone. */
const peopleSeen = 8

export function onlineSection({ online, currentUsers }: Panel, host: string): Html {
  const people = [...new Set(currentUsers.map(({ username }) => username))]
  const others = people.slice(peopleSeen)
  const unnamed = online.users - people.length
  const rest = people.length > 0 && unnamed > 0 ? html`<p class="meta">and ${unnamed} more</p>` : undefined
  return html`<section class="card" aria-labelledby="online" data-section="online">
<h2 id="online">Online now</h2>
${
  online.users === 0
    ? html`<p class="empty">Nobody is here right now.</p>`
    : html`<p><strong>${online.users}${online.orMore ? ' or more' : undefined}</strong> ${online.users === 1 ? 'user is' : 'users are'} here.</p>`
}
${people.length > 0 ? listOfPeople(people.slice(0, peopleSeen), host) : undefined}
${
  others.length > 0
    ? html`<details class="more-people"><summary>${others.length + unnamed} more</summary>
${listOfPeople(others, host)}
${rest}</details>`
    : rest
}
</section>`
}

const listOfPeople = (people: readonly string[], host: string) => html`<ul class="people">${people.map(
  (name) => html`
<li><img src="${pictureUrl(host, name)}" alt="" width="28" height="28"><span dir="auto">${name}</span></li>`,
)}
</ul>`

/** Newest posts first; `maximum`: how many. */
export function newsSection({ news }: Panel, { host, publishing }: Site, maximum = news.length): Html {
  const invitation = publishing
    ? html` <a href="${host}overview/manage/posts/new">Publish the first post</a>`
    : undefined
  return html`<section class="card" aria-labelledby="news" data-section="news">
<h2 id="news">News</h2>
${listOf(
  news.slice(0, maximum).map((post) => postEntry(post, host)),
  html`No posts yet.${invitation}`,
)}
${news.length > 0 ? html`<p class="actions"><a href="${host}overview/news">All posts</a></p>` : undefined}
</section>`
}

/** Characters of a post that lists show. */
export const excerptLength = 500

/** A post in a list below a heading of the second level. */
export const postEntry = (
  { id, title, excerpt, format, created_at }: Panel['news'][number],
  host: string,
): Html => html`
<li><article aria-labelledby="post-${id}" dir="auto"><h3 id="post-${id}"><a href="${host}overview/news/${id}">${title}</a></h3>
<p class="prose-text" dir="auto">${format === 'markdown' ? plainOf(excerpt) : excerpt}${[...excerpt].length >= excerptLength ? '…' : undefined}</p>
${timeOf(created_at)}</article></li>`

export function mediaSection({ media }: Panel, host: string): Html {
  return html`<section class="card" aria-labelledby="media" data-section="media">
<h2 id="media">Media</h2>
${mediaList(media, host)}
${media.length > 0 ? html`<p class="actions"><a href="${host}overview/media">All media</a></p>` : undefined}
</section>`
}

/** What is shown of a media item. */
type Shown = Pick<Panel['media'][number], 'title' | 'description' | 'media_type' | 'url' | 'picture'>

/** Pictures and films side by side. */
export function mediaList(media: readonly Shown[], host: string): Html {
  if (media.length === 0) return html`<p class="empty">No pictures or films yet.</p>`
  return html`<ul class="media">${media.map(
    (item) => html`
<li><figure>${viewOf(item, host)}<figcaption dir="auto">${item.title}</figcaption></figure></li>`,
  )}
</ul>`
}

/** Where lists find a picture: its thumbnail, or what somebody else has. */
export const smallAddress = (
  { picture, address }: { picture: string | null; address: string },
  host: string,
) => (picture === null ? address : `${host}api/media/thumbnails/${picture}`)

/** Only web addresses are loaded; whatever else was published is named, not followed. */
function viewOf({ title, description, media_type, url, picture }: Shown, host: string): Html {
  const address = webAddress(url)
  if (address === undefined) return html`<span class="nothing">Its address cannot be shown</span>`
  if (media_type === 'image')
    return html`<a href="${address}" rel="noopener noreferrer nofollow"><img src="${smallAddress({ picture, address }, host)}" alt="${description || title}" loading="lazy" decoding="async" referrerpolicy="no-referrer"></a>`
  return html`<video src="${address}" controls preload="none" aria-label="${description || title}"></video>`
}

export function activitySection({ recentActivity }: Panel): Html {
  return html`<section class="card" aria-labelledby="activity" data-section="activity">
<h2 id="activity">Recent activity</h2>
${listOf(
  recentActivity.map(
    ({ description, created_at }) => html`
<li><bdi>${description}</bdi><br>${timeOf(created_at)}</li>`,
  ),
  'No activity yet.',
)}
</section>`
}

export function figuresSection({ general: { users, reports, build } }: Panel): Html {
  const figure = (name: string, value: string | number) => html`
<div><dt>${name}</dt><dd>${value}</dd></div>`
  return html`<section class="card" aria-labelledby="figures" data-section="figures">
<h2 id="figures">Figures</h2>
<dl class="figures">${[
    figure('Users', users.total),
    figure('Newest user', users.mostRecent?.username ?? '–'),
    figure('Version', build.version),
    figure('Build', build.buildNumber),
    figure('Pipeline', build.pipeline),
    figure('Reports named', reports.named),
    figure('Reports associated', reports.associated),
    figure('Reports logged', reports.logged),
  ]}
</dl>
</section>`
}

/**
 * The picture ends when the newest sample does, or now if there is none: it changes with what it shows, not with the
 * clock.
 */
export function presenceSection({ presence, online }: Panel, now: Date): Html {
  const newest = presence.at(-1)
  const end = newest ? Date.parse(newest.at) + presenceInterval : now.getTime()
  return html`<section class="card" aria-labelledby="presence" data-section="presence">
<h2 id="presence">Presence over the last day</h2>
${presenceChart(presence, { at: new Date(end).toISOString(), users: online.users })}
</section>`
}
