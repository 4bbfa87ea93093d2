import type { Code } from '../../forge/repos/code.ts'
import type { Commit } from '../../git/repository/history.ts'
import { type Html, html } from '../html.ts'
import { listOf } from '../layout.ts'
import { timeOfCommit } from './commit-time.ts'

/** Commits with their first lines. */
export function commitList({ home }: Code, listed: readonly Commit[]): Html {
  return html`<section class="card" aria-label="Commits">
${listOf(
  listed.map(
    ({ id, message, author }) => html`
<li><h3><a href="${home}/commit/${id}">${message.split('\n', 1)[0] || id.slice(0, 10)}</a></h3>
<p class="meta"><code>${id.slice(0, 10)}</code> ${author.name} ${timeOfCommit(author.at)}</p></li>`,
  ),
  'No commits.',
)}</section>`
}
