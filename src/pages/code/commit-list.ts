import { combine } from '../../forge/commit-statuses/commit-status.shape.ts'
import { newestStatusesOf, type StoredStatus } from '../../forge/commit-statuses/commit-status-store.ts'
import { type Code, type CodeContext, gitValue } from '../../forge/repos/code.ts'
import { signersOf } from '../../forge/ssh-keys/signers.ts'
import { readCommitObjects } from '../../git/repository/commit.ts'
import { type Html, html } from '../html.ts'
import { listOf } from '../layout.ts'
import { timeOfCommit } from './commit-time.ts'
import { tones } from './status-list.ts'

/** The commits with these ids, with their first lines, who has signed them, and what their statuses say. @throws Problem 404, 503 */
export async function commitList(
  { sql }: Pick<CodeContext, 'sql'>,
  code: Code,
  ids: readonly string[],
): Promise<Html> {
  const listed = gitValue(await readCommitObjects(code, ids))
  const [signers, statuses] = await Promise.all([
    signersOf(sql, listed, code.git.signer),
    newestStatusesOf(sql, code.row.id, ids),
  ])
  return html`<section class="card" aria-label="Commits">
${listOf(
  listed.map(({ id, message, author }) => {
    const signer = signers.get(id)
    const verified =
      signer && html` <span class="badge good" title="Signed by ${signer.name}">Verified</span>`
    const address = `${code.home}/commit/${id}`
    return html`
<li><h3><a href="${address}">${message.split('\n', 1)[0] || id.slice(0, 10)}</a></h3>
<p class="meta"><code>${id.slice(0, 10)}</code> ${author.name} ${timeOfCommit(author.at)}${verified}${statusBadge(
      address,
      statuses.filter(({ commit_sha }) => commit_sha === id),
    )}</p></li>`
  }),
  'No commits.',
)}</section>`
}

/** The worst of the statuses of a commit, with a link to all of them. */
function statusBadge(address: string, statuses: readonly StoredStatus[]): Html | undefined {
  if (statuses.length === 0) return undefined
  const state = combine(statuses.map((each) => each.state))
  return html` <a class="badge${tones[state]}" href="${address}#statuses">${state}</a>`
}
