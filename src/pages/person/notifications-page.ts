import type { Page } from '../../db/page.ts'
import type { NotificationThread } from '../../forge/notifications/notification.shape.ts'
import { STATUSES, type Status } from '../../forge/watching/notification-store.ts'
import { buttonForm, hiddenFields } from '../form.ts'
import { type Html, html, noneOf } from '../html.ts'
import { card, listOf, page, pageLinks } from '../layout.ts'
import type { Visitor } from '../session/viewer.ts'
import { threadEntry } from './thread-entry.ts'

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
  threads: Page<NotificationThread>
  now: Date
  isDone: boolean
}

const names = { unread: 'Unread', read: 'Read', pinned: 'Pinned', all: 'All' } as const

const empty = {
  unread: 'No unread notifications: you have read all.',
  read: 'No notifications that you have read.',
  pinned: 'No pinned notifications. Pin what you want to come back to.',
  all: 'No notifications yet. You hear of issues of repositories that you watch, and where somebody mentions you.',
} as const

/** The page of one's notifications. */
export function notificationsPage(parts: Parts): string {
  const { host, caller, place, threads, isDone } = parts
  const { status } = place
  const address = `${host}notifications`
  const links = views.map(
    (each) =>
      html`<a href="${address}?status=${each}"${each === status ? html` aria-current="true"` : undefined}>${names[each]}</a>`,
  )
  const main = html`<div class="title"><h1>Notifications</h1>${threads.rows.some(({ unread }) => unread) ? markAll(parts) : undefined}</div>
${isDone ? html`<p class="notice" role="status" tabindex="-1" autofocus>Done.</p>` : undefined}
<p class="actions">${links}</p>
${card('threads', names[status])`${listOf(
  threads.rows.map((thread) => entry(parts, thread)),
  threads.page > 1 ? noneOf(['notification'], threads) : empty[status],
)}`}
${pageLinks(threads, address, { status })}`
  return page({ host, caller, title: 'Notifications', main })
}

const markAll = ({ host, place, now }: Parts): Html =>
  html`<form class="inline" method="post" action="${host}notifications">${hiddenFields({ action: 'mark-all', until: now.toISOString(), ...place })}<button class="quiet">Mark all as read</button></form>`

function entry({ host, place }: Parts, thread: NotificationThread): Html {
  const about = thread.subject?.title ?? 'what you may no longer see'
  const mark = (to: Status, text: string) =>
    buttonForm(`${host}notifications`, text, `${text}: ${about}`, {
      action: 'mark',
      id: thread.id,
      to,
      ...place,
    })
  const isRead = !thread.unread && !thread.pinned
  return threadEntry(
    thread,
    html`${isRead ? undefined : mark('read', 'Mark as read')}
${thread.unread ? undefined : mark('unread', 'Mark as unread')}
${thread.pinned ? undefined : mark('pinned', 'Pin')}`,
  )
}
