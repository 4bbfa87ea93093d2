import { commitsBetween } from '../../forge/pulls/comparison.ts'
import type { PullRequest } from '../../forge/pulls/pull.shape.ts'
import type { StoredPull } from '../../forge/pulls/pull-store.ts'
import { openedIn, printedPull } from '../../forge/pulls/pull-view.ts'
import { repositoryById } from '../../forge/repos/repo-store.ts'
import { found } from '../../http/route/problem.ts'
import { addressOf } from '../code/folder.ts'
import { counted, type Html, html, type Piece } from '../html.ts'
import { addressesOf, type IssueContext } from '../issues/issue-context.ts'
import { stateBadge } from '../issues/state-badge.ts'
import { repositoryPage } from '../repositories/repository-page.ts'

// What all pages of a pull request have: its title and state, what is proposed, and links to its pages.

export interface ShownPull {
  row: StoredPull
  pull: PullRequest
  /** The number of commits that it adds. */
  commits: number
}

/** The pages of a pull request, by what follows its address. */
const pages = [
  ['', 'Conversation'],
  ['/commits', 'Commits'],
  ['/files', 'Files'],
] as const

interface PullPage {
  current: (typeof pages)[number][0]
  main: Html
  /** For lines of code, or for what is said. */
  script?: 'code' | 'conversation'
}

/** A pull request as its pages show it. @throws Problem 404, 503 */
export async function shownPull(context: IssueContext, row: StoredPull): Promise<ShownPull> {
  const pull = await printedPull(context, row)
  if (pull.merge_base === '') return { row, pull, commits: 0 }
  const at = openedIn(context, found(await repositoryById(context.sql, row.repository_id)))
  const { ahead } = await commitsBetween(at, { base: pull.merge_base, head: row.head_commit })
  return { row, pull, commits: ahead }
}

/** A page of a pull request. */
export function pullPage(context: IssueContext, shown: ShownPull, parts: PullPage): Promise<string> {
  const { caller, sql, from } = context
  const { pull } = shown
  const main = html`<h2>${pull.title} <span class="quiet-text">#${pull.number}</span></h2>
<p class="pull-head">${stateBadge({ state: pull.state, pull_request: pull })} <span>${proposalOf(context, shown)} · as text: <a href="${pull.diff_url}">diff</a> · <a href="${pull.patch_url}">patch</a></span></p>
${linksOf(context, shown, parts.current)}
${parts.main}`
  const title = `${pull.title} #${pull.number}`
  const script = parts.script && { script: parts.script }
  return repositoryPage({ host: from.host, sql, caller, current: 'pulls', title, main, ...script })
}

/** Who wants what to be merged into what, or has merged it. */
function proposalOf({ from: { host } }: IssueContext, { pull, commits }: ShownPull): Html {
  const { user, merged_by, base, head } = pull
  const what = html`${counted(commits, 'commit')} into ${branchOf(host, base.repo, base)} from ${headOf(host, pull)}`
  const link = ({ login, html_url }: PullRequest['user']) => html`<a href="${html_url}">${login}</a>`
  if (merged_by) return html`${link(merged_by)} merged ${what}`
  return html`${link(user)} wants to merge ${what}${head.repo === null ? ', whose repository is gone or hidden' : undefined}`
}

function headOf(host: string, { base, head }: PullRequest): Html {
  const isFork = head.repo !== null && head.repo_id !== base.repo_id
  return branchOf(host, head.ref === head.label ? head.repo : null, head, isFork ? head.repo : null)
}

/** A branch, as a link where it is there; with the owner of its repository if it is in another one. */
function branchOf(
  host: string,
  repo: PullRequest['base']['repo'],
  { label }: { label: string },
  other: PullRequest['base']['repo'] = null,
): Html {
  const name: Piece = html`<code>${other ? `${other.owner.login}:` : ''}${label}</code>`
  if (!repo) return html`${name}`
  const address = addressOf({ home: host + repo.full_name }, 'src', `branch/${label}`)
  return html`<a href="${address}">${name}</a>`
}

/** Links to the pages of a pull request, with the numbers of what they show. */
function linksOf(
  context: IssueContext,
  { row, pull, commits }: ShownPull,
  current: PullPage['current'],
): Html {
  const { address } = addressesOf(context, row)
  const counts: Readonly<Record<PullPage['current'], number>> = {
    '': pull.comments + pull.review_comments,
    '/commits': commits,
    '/files': pull.changed_files ?? 0,
  }
  return html`<nav class="tabs" aria-label="Pull request"><ul>${pages.map(
    ([path, name]) =>
      html`<li><a href="${address}${path}"${path === current ? html` aria-current="page"` : undefined}>${name} <span class="count">${counts[path]}</span></a></li>`,
  )}</ul></nav>`
}
