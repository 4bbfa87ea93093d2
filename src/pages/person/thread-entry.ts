import type { NotificationThread } from '../../forge/notifications/notification.shape.ts'
import { type Html, html, timeOf } from '../html.ts'

/** What a notification is about, with a link as far as its reader may still see it. */
export function threadTitle({ subject, repository, updated_at }: NotificationThread): Html {
  if (!subject || !repository)
    return html`<h3>Something that you may no longer see</h3>
<p class="meta">${timeOf(updated_at)}</p>`
  const { title, html_url, latest_comment_html_url, type, state } = subject
  const number =
    type === 'Issue' || type === 'Pull' ? ` #${html_url.slice(html_url.lastIndexOf('/') + 1)}` : ''
  return html`<h3><a href="${latest_comment_html_url || html_url}">${title}</a></h3>
<p class="meta">${repository.full_name}${number}${state === '' ? undefined : html` <span class="badge">${state}</span>`} ${timeOf(updated_at)}</p>`
}
