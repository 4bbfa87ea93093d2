import type { Issue } from '../forge/issues/issue.shape.ts'
import { counted, type Html, html, timeOf } from './html.ts'
import { labelBadges } from './label-badges.ts'

/** An issue in a list. */
export function issueEntry({
  html_url,
  title,
  number,
  state,
  labels,
  user,
  created_at,
  comments,
}: Issue): Html {
  return html`
<li><div class="row"><h3><a href="${html_url}">${title}</a></h3> <span>${labelBadges(labels)} <span class="badge">${state}</span></span></div>
<p class="meta">#${number} by ${user.login} ${timeOf(created_at)}${comments === 0 ? undefined : html` · ${counted(comments, 'comment')}`}</p></li>`
}
