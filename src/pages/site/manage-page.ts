import type { listDrafts } from '../../site/draft-store.ts'
import type { titlesOfItems } from '../../site/media-store.ts'
import { defaultName } from '../../site/site.shape.ts'
import { trashDays } from '../../site/upkeep.ts'
import { ask, type Faults, type Fields, field } from '../form.ts'
import { type Html, html, noneOf, timeOf, webAddress } from '../html.ts'
import { card, listOf, page } from '../layout.ts'
import { rowOf } from '../list.ts'
import { newFormId } from '../operations/once.ts'
import { smallAddress } from '../panel.ts'
import { type Manager, managePath } from '../session/session.ts'
import { viewerOf } from '../session/viewer.ts'
import { type Did, doneNotice } from './done-notice.ts'
import { type Listing, listLinks, placeFields, placeOf } from './listing.ts'
import { firstOf, opening, refusalNotice } from './manage-form.ts'

/** What the page shows. */
interface Parts {
  host: string
  caller: Manager
  drafts: Awaited<ReturnType<typeof listDrafts>>
  posts: Listing
  media: Listing<Awaited<ReturnType<typeof titlesOfItems>>[number]>
  /** The name of the site; "": nobody has given it one. */
  name: string
  statistics: Readonly<Record<string, string>>
  sessions: readonly { id: number; username: string; started_at: string }[]
  /** The values of the form that was sent, and their faults. */
  values: Fields
  faults: Faults
  /** Why a form changed nothing; absent: no form was sent, or it is done. */
  refused?: string | undefined
  done?: Did | undefined
  publishing: boolean
}

/** The page on which administrators manage the site. */
export function managePage(parts: Parts): string {
  const { host, caller, done, faults, publishing, refused } = parts
  const base = `${host}${managePath}`
  const main = html`<div class="title"><h1>Manage the site</h1>
${
  publishing
    ? html`<div class="actions"><a class="button" href="${base}/posts/new">Write a post</a>
<a class="button quiet" href="${base}/media/new">Add a picture or film</a></div>`
    : undefined
}</div>
${done ? doneNotice(parts, done) : undefined}
${refusalNotice(refused, firstOf(faults) !== undefined)}
<div class="panel">
<div class="column">${publishing ? publishedSections(parts) : html`<p class="card">News and media cannot be changed on this server (SITE_WRITES).</p>`}</div>
<div class="column">${sessionsSection(parts)}${activityForm(parts)}${figuresForm(parts)}${nameForm(parts)}</div>
</div>`
  return page({ host, caller, title: 'Manage', main, current: 'manage' })
}

const openingOf = (parts: Parts, action: string, about: { id?: number; form_id?: string } = {}): Html =>
  opening(parts, {
    action,
    ...about,
    ...placeFields(placeOf(parts)),
  })

function publishedSections(parts: Parts): Html {
  const { host, drafts, posts, media } = parts
  const base = `${host}${managePath}`
  return html`${drafts.length === 0 ? undefined : draftsSection(parts)}
${card('posts', 'Posts')`${listOf(
  posts.rows.map(({ id, title, created_at }) =>
    rowOf(
      html`<bdi><a href="${host}overview/news/${id}">${title}</a></bdi>`,
      timeOf(created_at),
      html`<a href="${base}/posts/${id}" aria-label="Edit ${title}">Edit</a>${removal(parts, 'remove-post', id, title)}`,
    ),
  ),
  noneOf(['post']),
)}
${listLinks(host, '', parts, 'posts')}`}
${card('items', 'Media')`${listOf(
  media.rows.map((item) =>
    rowOf(
      html`<span class="with-thumb">${thumbOf(item, host)}<bdi>${item.title}</bdi></span>`,
      timeOf(item.created_at),
      html`<a href="${base}/media/${item.id}" aria-label="Edit ${item.title}">Edit</a>${removal(parts, 'remove-item', item.id, item.title)}`,
    ),
  ),
  'No pictures or films yet.',
)}
${listLinks(host, '', parts, 'media')}`}
<p class="actions"><a href="${base}/trash">Trash</a></p>`
}

function draftsSection(parts: Parts): Html {
  const base = `${parts.host}${managePath}`
  return card('drafts', 'Drafts and scheduled posts')`${listOf(
    parts.drafts.map(({ id, title, publish_at, updated_at }) => {
      const name = title === '' ? 'Without a title' : title
      return rowOf(
        html`<bdi><a href="${base}/drafts/${id}">${name}</a></bdi>`,
        publish_at === null
          ? html`changed ${timeOf(updated_at)}`
          : html`<span class="badge good">scheduled</span> appears ${timeOf(publish_at)}`,
        ask(
          'Discard',
          `Discard ${name}`,
          'Discard this text? It cannot be restored.',
          openingOf(parts, 'discard-draft', { id }),
          'Discard it',
        ),
      )
    }),
    '',
  )}`
}

const removal = (parts: Parts, action: string, id: number, title: string) =>
  ask(
    'Remove',
    `Remove ${title}`,
    `Remove it from the site? The trash keeps it for ${trashDays} days.`,
    openingOf(parts, action, { id }),
    'Remove it',
  )

/** The thumbnail of a picture, by which people tell rows apart. */
function thumbOf({ media_type, url, picture }: Parts['media']['rows'][number], host: string): Html {
  const address = media_type === 'image' ? webAddress(url) : undefined
  return address === undefined
    ? html`<span class="thumb">${media_type === 'video' ? 'Film' : undefined}</span>`
    : html`<img class="thumb" src="${smallAddress({ picture, address }, host)}" alt="" width="48" height="36" loading="lazy" referrerpolicy="no-referrer">`
}

function sessionsSection(parts: Parts): Html {
  const { host, caller, sessions } = parts
  return card('sessions', 'Open sessions')`${listOf(
    sessions.map(({ id, username, started_at }) =>
      rowOf(
        html`<bdi>${username}</bdi>`,
        html`began ${timeOf(started_at)}`,
        ask(
          'End',
          `End the session of ${username}`,
          'The page counts this visitor as gone.',
          openingOf(parts, 'end-session', { id }),
          'End the session',
        ),
      ),
    ),
    'No open sessions: nobody is online.',
  )}
${viewerOf(caller)?.isAdministrator ? html`<p class="actions"><a href="${host}-/admin/sessions">All sessions, the oldest first</a></p>` : undefined}`
}

function activityForm(parts: Parts): Html {
  const { values, faults } = parts
  const isSent = values.action === 'add-activity'
  return card('new-activity', 'Add to recent activity')`${openingOf(parts, 'add-activity', newFormId())}
${field({
  name: 'description',
  label: 'What happened',
  ...(isSent && { value: values.description, fault: faults.description, hasFocus: true }),
})}
<button>Add the entry</button>
</form>`
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
  const { values, statistics } = parts
  const shown = values.action === 'set-figures' ? values : statistics
  return card('set-figures', 'Figures')`${openingOf(parts, 'set-figures')}
${Object.entries(labels).map(([name, label]) => field({ name, label, value: shown[name], isOptional: true }))}
<button>Set the figures</button>
</form>`
}

function nameForm(parts: Parts): Html {
  const { values, faults, name } = parts
  const isSent = values.action === 'name-site'
  return card('name-site', 'Name of the site')`${openingOf(parts, 'name-site')}
${field({
  name: 'name',
  label: 'Name',
  value: isSent ? values.name : name,
  fault: isSent ? faults.name : undefined,
  hint: `At the top of each page, in titles and in the feed. Left empty: ${defaultName}.`,
  isOptional: true,
  hasFocus: isSent,
})}
<button>Name the site</button>
</form>`
}
