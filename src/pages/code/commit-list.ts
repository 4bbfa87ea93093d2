import { combine } from '../../forge/commit-statuses/commit-status.shape.ts'
import { newestStatusesOf, type StoredStatus } from '../../forge/commit-statuses/commit-status-store.ts'
import { type Code, type CodeContext, gitValue } from '../../forge/repos/code.ts'
import { type Signer, signersOf } from '../../forge/ssh-keys/signers.ts'
import { type CommitObject, readCommitObjects } from '../../git/repository/commit.ts'
import { type Html, html } from '../html.ts'
import { listOf } from '../layout.ts'
import { rowOf } from '../list.ts'
import { dayNamed, timeOfCommit } from './commit-time.ts'
import { tones } from './status-list.ts'

/** The commits with these ids, each day’s in a list of their own, with their first lines, who has signed them, and what their statuses say. @throws Problem 404, 503 */
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
  const entryOf = ({ id, message, author }: CommitObject): Html => {
    const signer = signers.get(id)
    const address = `${code.home}/commit/${id}`
    const own = statuses.filter(({ commit_sha }) => commit_sha === id)
    return rowOf(
      html`<a href="${address}">${message.split('\n', 1)[0] || id.slice(0, 10)}</a>${verifiedBadge(signer)}${statusBadge(address, own)}`,
      html`${author.name} ${timeOfCommit(author.at)} <code>${id.slice(0, 10)}</code>`,
    )
  }
  if (listed.length === 0) return html`<p class="card empty">No commits.</p>`
  return html`<div class="column">${byDay(listed).map(
    ({ day, commits }) => html`<section class="card commits" aria-label="Commits of ${day}">
<p class="day">${day}</p>
${listOf(commits.map(entryOf), '')}</section>`,
  )}</div>`
}

/** Commits that follow each other on one day, in UTC; their order stays. */
function byDay(listed: readonly CommitObject[]) {
  const days: { day: string; commits: CommitObject[] }[] = []
  for (const commit of listed) {
    const day = dayNamed(commit.author.at)
    const last = days.at(-1)
    if (last?.day === day) last.commits.push(commit)
    else days.push({ day, commits: [commit] })
  }
  return days
}

/** That a commit or a tag is verified; nothing if it is not. */
export const verifiedBadge = (signer: Signer | undefined): Html | undefined =>
  signer && html` <span class="badge good" title="Signed by ${signer.name}">Verified</span>`

/** The worst of the statuses of a commit, with a link to all of them. */
function statusBadge(address: string, statuses: readonly StoredStatus[]): Html | undefined {
  if (statuses.length === 0) return undefined
  const state = combine(statuses.map((each) => each.state))
  return html` <a class="badge${tones[state]}" href="${address}#statuses">${state}</a>`
}
