import type { Titled } from '../site/titled.ts'
import { field } from './form.ts'
import { type Html, html, timeOf } from './html.ts'
import { listOf, page, pageLinks } from './layout.ts'
import { type Manager, managePath } from './session/session.ts'
import { viewerOf } from './session/viewer.ts'

/** The pages of the two lists that the page shows. */
export interface Place {
  posts: number
  media: number
}

/** A page of posts or media. */
export interface Listing {
  rows: readonly Titled[]
  page: number
  hasNext: boolean
}

/** The address of the page with its lists at this place. */
export function manageAddress(
  host: string,
  { posts, media }: Place,
  more: Readonly<Record<string, string>> = {},
) {
  const query = new URLSearchParams({
    ...more,
    ...(posts > 1 && { posts: String(posts) }),
    ...(media > 1 && { media: String(media) }),
  })
  return `${host}${managePath.slice(1)}${query.size > 0 ? `?${query}` : ''}`
}

/** What the page shows. */
interface Parts {
  host: string
  caller: Manager
  posts: Listing
  media: Listing
  statistics: Readonly<Record<string, string>>
  sessions: readonly { id: number; username: string; started_at: string }[]
  /** The values of the form that was sent, and their faults. */
  values: Readonly<Record<string, string>>
  faults: Readonly<Record<string, string>>
  /** Why nothing was changed; absent: nothing was asked for, or it is done. */
  refused?: string | undefined
  isDone?: boolean | undefined
  publishing: boolean
}

/** The page on which administrators manage the site. */
export function managePage(parts: Parts): string {
  const { host, caller, isDone, publishing, refused } = parts
  const main = html`<div class="title"><h1>Manage the site</h1>
<div class="actions"><span class="meta">Signed in as <a href="${host}${caller.me.name}">${caller.me.name}</a></span>
<form class="inline" method="post" action="${host}login/out"><button class="quiet small">Sign out</button></form></div></div>
${isDone ? html`<p class="notice" role="status">Done. <a href="${host}overview" autofocus>See the overview</a></p>` : undefined}
${refused === undefined ? undefined : html`<p class="notice bad" role="alert">Nothing was changed. ${refused}</p>`}
<div class="panel">
<div class="column">${publishing ? publishingSections(parts) : html`<p class="card">News and media cannot be changed on this server (SITE_WRITES).</p>`}</div>
<div class="column">${sessionsSection(parts)}${activityForm(parts)}${figuresForm(parts)}</div>
</div>`
  return page({ host, viewer: viewerOf(caller), title: 'Manage', main, current: 'manage' })
}

const opening = (
  { host, caller, posts, media }: Parts,
  action: string,
  id?: number,
): Html => html`<form method="post" action="${host}overview/manage">
<input type="hidden" name="form_token" value="${caller.formToken}">
<input type="hidden" name="action" value="${action}">
<input type="hidden" name="posts" value="${posts.page}">
<input type="hidden" name="media" value="${media.page}">
${id === undefined ? undefined : html`<input type="hidden" name="id" value="${id}">`}`

/** The value and fault of a field, if this form was the one that was sent. */
const sent = ({ values, faults }: Parts, action: string, name: string, fault = name) =>
  values.action === action ? { value: values[name], fault: faults[fault] } : {}

function publishingSections(parts: Parts): Html {
  const isUntouched = !parts.isDone && parts.refused === undefined
  return html`<section class="card" aria-labelledby="new-post">
<h2 id="new-post">Publish a post</h2>
${opening(parts, 'publish-news')}
${field({ name: 'title', label: 'Title', hasFocus: isUntouched, ...sent(parts, 'publish-news', 'title') })}
${field({ name: 'content', label: 'Content', isLong: true, ...sent(parts, 'publish-news', 'content') })}
<button>Publish the post</button>
</form>
</section>
<section class="card" aria-labelledby="posts">
<h2 id="posts">Posts</h2>
${removable(parts, 'remove-news', parts.posts, (id, title) => html`<a href="${parts.host}overview/news/${id}">${title}</a>`)}
${linksOf(parts, 'posts')}
</section>
<section class="card" aria-labelledby="new-media">
<h2 id="new-media">Add a picture or film</h2>
${opening(parts, 'publish-media')}
${field({ name: 'title', id: 'media-title', label: 'Title', ...sent(parts, 'publish-media', 'title', 'media-title') })}
<div class="field"><label for="media-type">Kind</label><select id="media-type" name="media_type"><option value="image">Picture</option><option value="video"${parts.values.media_type === 'video' ? html` selected` : undefined}>Film</option></select></div>
${field({ name: 'url', label: 'Address', type: 'url', hint: 'Where browsers find it, with https://', ...sent(parts, 'publish-media', 'url') })}
<button>Add to the site</button>
</form>
</section>
<section class="card" aria-labelledby="items">
<h2 id="items">Media</h2>
${removable(parts, 'remove-media', parts.media, (_, title) => html`${title}`)}
${linksOf(parts, 'media')}
</section>`
}

/** Links to the pages beside this one of a list, while the other list stays where it is. */
function linksOf(parts: Parts, list: keyof Place): Html | undefined {
  const { host, posts, media } = parts
  const here = { posts: posts.page, media: media.page }
  const section = list === 'posts' ? '#posts' : '#items'
  const address = (to: number) => manageAddress(host, { ...here, [list]: to }) + section
  return pageLinks({ ...parts[list], address }, `Newer ${list}`, `Older ${list}`)
}

function removable(
  parts: Parts,
  action: string,
  { rows }: Listing,
  nameOf: (id: number, title: string) => Html,
): Html {
  return listOf(
    rows.map(
      ({ id, title, created_at }) => html`
<li class="row"><span><bdi>${nameOf(id, title)}</bdi><br>${timeOf(created_at)}</span>
${opening(parts, action, id)}<button class="quiet small" aria-label="Remove ${title}">Remove</button></form></li>`,
    ),
    'None yet.',
  )
}

function sessionsSection(parts: Parts): Html {
  const { sessions } = parts
  return html`<section class="card" aria-labelledby="sessions">
<h2 id="sessions">Open sessions</h2>
${listOf(
  sessions.map(
    ({ id, username, started_at }) => html`
<li class="row"><span><bdi>${username}</bdi><br>${timeOf(started_at)}</span>
${opening(parts, 'end-session', id)}<button class="quiet small" aria-label="End the session of ${username}">End</button></form></li>`,
  ),
  'Nobody is online.',
)}
</section>`
}

function activityForm(parts: Parts): Html {
  return html`<section class="card" aria-labelledby="new-activity">
<h2 id="new-activity">Add to recent activity</h2>
${opening(parts, 'add-activity')}
${field({ name: 'description', label: 'What happened', ...sent(parts, 'add-activity', 'description') })}
<button>Add the entry</button>
</form>
</section>`
}

const labels = {
  version: 'Version',
  build_number: 'Build',
  build_pipeline: 'Pipeline',
  reports_named: 'Reports named',
  reports_associated: 'Reports associated',
  reports_logged: 'Reports logged',
} as const

function figuresForm(parts: Parts): Html {
  return html`<section class="card" aria-labelledby="set-figures">
<h2 id="set-figures">Figures</h2>
${opening(parts, 'set-figures')}
${Object.entries(labels).map(([name, label]) => field({ name, label, value: parts.statistics[name], isOptional: true }))}
<button>Set the figures</button>
</form>
</section>`
}
