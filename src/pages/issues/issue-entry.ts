import type { Issue } from '../../forge/issues/issue.shape.ts'
import { counted, type Html, html, timeOf } from '../html.ts'
import { stateBadge } from './state-badge.ts'

/** A label with its colour. */
export const labelBadge = ({
  name,
  color,
  description,
}: Pick<Issue['labels'][number], 'name' | 'color' | 'description'>): Html =>
  html`<span class="badge" title="${description}"><svg class="dot" viewBox="0 0 2 2" aria-hidden="true"><circle cx="1" cy="1" r="1" fill="#${color}"/></svg> ${name}</span> `

/** Labels with their colours. */
export const labelBadges = (labels: Issue['labels']): Html[] => labels.map(labelBadge)

/** An issue in a list. */
export function issueEntry(issue: Issue): Html {
  const { html_url, title, number, labels, user, created_at, comments } = issue
  return html`
<li><div class="row"><h3><a href="${html_url}">${title}</a></h3> <span>${labelBadges(labels)} ${stateBadge(issue)}</span></div>
<p class="meta">#${number} by ${user.login} ${timeOf(created_at)}${comments === 0 ? undefined : html` · ${counted(comments, 'comment')}`}</p></li>`
}
