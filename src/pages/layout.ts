import type { Page } from '../db/page.ts'
import { accountPictureUrl } from '../forge/accounts/avatar.ts'
import { assetNames } from './asset-names.ts'
import { type Html, html, type Piece, withQuery } from './html.ts'
import { type Viewer, type Visitor, viewerOf } from './session/viewer.ts'
import { siteNameMark } from './site-name.ts'

/** A page without what all pages share. */
/** A feed that pages name to programs which follow feeds. */
export interface FeedLink {
  title: string
  addressOf: (format: 'atom' | 'rss') => string
}

interface PageParts {
  /** Root of links (`from.host`). */
  host: string
  /** Who looks at it; `unknown` where nobody has looked up whose session it is; undefined: nobody is signed in. */
  caller: Visitor | 'unknown' | undefined
  title: string
  main: Html
  /** The entry of the navigation that this page is. */
  current?: 'overview' | 'explore' | 'manage' | 'reference' | 'account' | undefined
  /** Whether programs that follow news find the feed of posts here. */
  hasFeed?: boolean
  /** The feed of what it shows. */
  feed?: FeedLink | undefined
  /**
   * The script of the page, which also shows times in the reader's zone; absent: `live`, if there are times. Pages with
   * forms have the one that sends them as well.
   */
  script?: 'code' | 'conversation' | 'live' | 'run' | undefined
  /** Parts of the page that its first links lead to, each with the id of its heading. */
  parts?: readonly (readonly [id: string, name: string])[]
}

const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
<path d="M4 28V13L16 4l12 9v15h-8v-9h-8v9z"/></svg>`

/** Name and picture of the viewer; opened, where they can go and how they sign out. */
function accountMenu(host: string, viewer: Viewer): Html {
  const { name, isManager, isAdministrator, unread } = viewer
  return html`<details class="menu">
<summary class="menu-name"><img class="menu-picture" src="${accountPictureUrl(host, viewer)}" alt="" width="24" height="24"> <span class="menu-person">${name}</span>${unread ? html` <span class="unread">${unread > 99 ? '99+' : unread}<span class="hidden-words"> unread</span></span>` : undefined}</summary>
<ul class="menu-list">
<li class="menu-entry"><a href="${host}${name}">Your profile</a></li>
${unread === undefined ? undefined : html`<li class="menu-entry"><a href="${host}notifications">Notifications</a></li>`}
<li class="menu-entry"><a href="${host}settings">Settings</a></li>
${isManager ? html`<li class="menu-entry"><a href="${host}overview/manage">Manage the site</a></li>` : undefined}
${isAdministrator ? html`<li class="menu-entry"><a href="${host}-/admin">Administration</a></li>` : undefined}
<li class="menu-entry"><form method="post" action="${host}login/out"><button class="quiet small">Sign out</button></form></li>
</ul>
</details>`
}

/** A list of complete `<li>`, or a sentence that there is nothing. */
export const listOf = (entries: readonly Html[], empty: Piece): Html =>
  entries.length === 0
    ? html`<p class="empty">${empty}</p>`
    : html`<ul class="list">${entries}
</ul>`

/** Makes the template of a section with a heading, which has the id: card('about', 'About')`<p>Text</p>`. */
export const card =
  (id: string, heading: Piece) =>
  (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
    html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${html(strings, ...pieces)}
</section>`

/**
 * Links from a page of a list to the one before and the one after it, if there are any. `address` and `query` are those
 * of the list.
 */
export function pageLinks(
  { page, limit, total }: Omit<Page<unknown>, 'rows'>,
  address: string,
  query: Readonly<Record<string, string>> = {},
  [before, after]: readonly [string, string] = ['Newer', 'Older'],
): Html | undefined {
  const hasNext = page * limit < total
  if (page <= 1 && !hasNext) return undefined
  const link = (to: number, text: Piece) =>
    html`<a href="${withQuery(address, { ...query, page: to })}">${text}</a>`
  return html`<p class="actions">${page > 1 ? link(page - 1, before) : undefined}
${hasNext ? link(page + 1, after) : undefined}</p>`
}

/** The names of these links where a list is not ordered by time. */
export const inOrder = ['Previous', 'Next'] as const

/** Links to the sections of settings, or of what `name` says, and one of them beside these. */
export const besideSections = (
  links: readonly (readonly [address: string, name: string])[],
  current: string,
  main: Html,
  name = 'Settings',
): Html => html`<div class="settings">
<nav class="settings-nav" aria-label="${name}"><h2 class="settings-name" dir="auto">${name}</h2><ul>${links.map(
  ([address, name]) =>
    html`<li><a href="${address}"${address === current ? html` aria-current="page"` : undefined}>${name}</a></li>`,
)}</ul></nav>
<div class="settings-section">
${main}
</div>
</div>`

/** A whole page. */
export function page({ host, caller, title, main, current, parts = [], ...more }: PageParts): string {
  const { hasFeed, feed, script = main.text.includes('<time ') ? 'live' : undefined } = more
  const ofForms = main.text.includes(' method="post"') ? (['form'] as const) : []
  const scripts = ['keys', ...(script ? [script] : []), ...ofForms] as const
  const entry = (name: NonNullable<PageParts['current']>, address: string, text: string): Piece =>
    html`<li><a href="${host}${address}"${current === name ? html` aria-current="page"` : undefined}>${text}</a></li>`
  const viewer = typeof caller === 'object' ? viewerOf(caller) : undefined
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${siteNameMark}</title>
<link rel="stylesheet" href="${host}assets/${assetNames.style}">
<link rel="icon" href="${host}avatars/${'0'.repeat(32)}" type="image/svg+xml">
${hasFeed ? html`<link rel="alternate" type="application/atom+xml" title="News" href="${host}feed.atom">` : undefined}${(
  ['atom', 'rss'] as const
).map((format) =>
  feed
    ? html`<link rel="alternate" type="application/${format}+xml" title="${feed.title}" href="${feed.addressOf(format)}">
`
    : undefined,
)}
${scripts.map((name) => html`<script src="${host}assets/${assetNames[name]}" defer></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${parts.map(
  ([id, name]) => html`<a class="skip" href="#${id}">Skip to: ${name}</a>
`,
)}<header class="top">
<a class="brand" href="${host}">${mark}<span>${siteNameMark}</span></a>
<nav aria-label="Site">
<ul>
${entry('overview', 'overview', 'Overview')}
${entry('explore', 'explore/repos', 'Explore')}
${entry('reference', 'api/swagger', 'API')}
${viewer ? undefined : entry('account', 'login', caller === 'unknown' ? 'Account' : 'Sign in')}
</ul>
</nav>
<form class="top-search" role="search" aria-label="All repositories" action="${host}explore/repos">
<input class="search-field" type="search" name="q" aria-label="Search repositories" aria-keyshortcuts="s" placeholder="Search repositories">
</form>
${viewer && accountMenu(host, viewer)}
</header>
<main id="main">
${main}
</main>
<footer class="bottom">
<p>Forgehall ${__VERSION__} · <a href="${host}api/swagger">API reference</a> · <a href="${host}overview">Overview</a></p>
</footer>
</body>
</html>
`.text
}
