import type { NotificationThread } from '../../forge/notifications/notification.shape.ts'
import { STATUSES, type Status } from '../../forge/notifications/notification-store.ts'
import { type Html, html } from '../html.ts'
import { listOf, page, pageLinks } from '../layout.ts'
import type { Visitor } from '../session/viewer.ts'
import { threadTitle } from './thread-entry.ts'

/** What the list may be limited to. */
export const views = [...STATUSES, 'all'] as const

/** A page of one of the lists. */
export interface Place {
  status: (typeof views)[number]
  page: number
}

interface Parts {
  host: string
  caller: Visitor
  place: Place
  threads: readonly NotificationThread[]
  hasNext: boolean
  now: Date
  isDone: boolean
}

const names = { unread: 'Unread', read: 'Read', pinned: 'Pinned', all: 'All' } as const

const empty = {
  unread: 'You have read everything.',
  read: 'None that you have read.',
  pinned: 'None. Pin what you want to come back to.',
  all: 'None yet. You hear of issues of repositories that you watch, and where somebody mentions you.',
} as const

/** The page of one's notifications. */
export function notificationsPage(parts: Parts): string {
  const { host, caller, place, threads, hasNext, isDone } = parts
  const { status } = place
  const address = `${host}notifications`
  const links = views.map(
    (each) =>
      html`<a href="${address}?status=${each}"${each === status ? html` aria-current="true"` : undefined}>${names[each]}</a>`,
  )
  const to = (number: number) => `${address}?status=${status}&page=${number}`
  const main = html`<div class="title"><h1>Notifications</h1>${hasUnread(threads) ? markAll(parts) : undefined}</div>
${isDone ? html`<p class="notice" role="status" tabindex="-1" autofocus>Done.</p>` : undefined}
<p class="actions">${links}</p>
<section class="card" aria-labelledby="threads">
<h2 id="threads">${names[status]}</h2>
${listOf(
  threads.map((thread) => entry(parts, thread)),
  empty[status],
)}
</section>
${pageLinks({ page: place.page, hasNext, address: to })}`
  return page({ host, caller, title: 'Notifications', main })
}

const hasUnread = (threads: readonly NotificationThread[]) => threads.some(({ unread }) => unread)

const form = ({ host, place }: Parts, fields: Readonly<Record<string, string | number>>, button: Html) =>
  html`<form class="inline" method="post" action="${host}notifications">${Object.entries({
    ...fields,
    ...place,
  }).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${button}</form>`

const markAll = (parts: Parts): Html =>
  form(
    parts,
    { action: 'mark-all', until: parts.now.toISOString() },
    html`<button class="quiet">Mark all as read</button>`,
  )

function entry(parts: Parts, thread: NotificationThread): Html {
  const about = thread.subject?.title ?? 'what you may no longer see'
  const mark = (to: Status, label: string) =>
    form(
      parts,
      { action: 'mark', id: thread.id, to },
      html`<button class="quiet small" aria-label="${label}: ${about}">${label}</button>`,
    )
  const isRead = !thread.unread && !thread.pinned
  return html`
<li class="row"><div>${threadTitle(thread)}</div>
<div class="actions">${isRead ? undefined : mark('read', 'Mark as read')}
${thread.unread ? undefined : mark('unread', 'Mark as unread')}
${thread.pinned ? undefined : mark('pinned', 'Pin')}</div></li>`
}
