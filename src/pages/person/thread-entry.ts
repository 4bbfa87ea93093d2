import type { NotificationThread } from '../../forge/notifications/notification.shape.ts'
import { type Html, html, type Piece, timeOf } from '../html.ts'
import { stateBadge } from '../issues/state-badge.ts'
import { rowOf } from '../list.ts'

/** A notification in a list: what it is about, with a link as far as its reader may still see it. */
export function threadEntry({ subject, repository, updated_at }: NotificationThread, actions?: Piece): Html {
  if (!subject || !repository)
    return rowOf('Something that you may no longer see', timeOf(updated_at), actions)
  const { title, html_url, latest_comment_html_url, type, state } = subject
  const number =
    type === 'Issue' || type === 'Pull' ? ` #${html_url.slice(html_url.lastIndexOf('/') + 1)}` : ''
  const badge = state === '' ? undefined : html`${badgeOf(type, state)} `
  return rowOf(
    html`<a href="${latest_comment_html_url || html_url}">${title}</a>`,
    html`${badge}${repository.full_name}${number} · ${timeOf(updated_at)}`,
    actions,
  )
}

/** A notification has one word for the state of what it is about. */
const badgeOf = (type: string, state: string) =>
  stateBadge({
    state: state === 'open' ? 'open' : 'closed',
    pull_request: type === 'Pull' ? { merged: state === 'merged' } : null,
  })
