import type { Sql } from '../../db/sql.ts'
import type { SignedIn } from '../../forge/auth/access.ts'
import { type Category, permits } from '../../forge/auth/scopes.ts'
import { pageOfIssuesEverywhere } from '../../forge/issues/search/issue-search-store.ts'
import { printThreads } from '../../forge/notifications/notification.shape.ts'
import { pageOfRepositories } from '../../forge/repos/repo-list-store.ts'
import { readerOf } from '../../forge/repos/visibility.ts'
import { pageOfThreads } from '../../forge/watching/notification-store.ts'
import { repositoryEntry } from '../explore/repository-entry.ts'
import { type Html, html, type Piece, timeOf } from '../html.ts'
import { card, listOf, page } from '../layout.ts'
import { rowOf } from '../list.ts'
import type { PageTools } from '../route.ts'
import { viewerOf } from '../session/viewer.ts'
import { threadEntry } from './thread-entry.ts'

/** How many rows of each list the page shows. */
const maximum = { repositories: 10, issues: 10, threads: 5 }

/** Issues and pull requests that wait for somebody, and what the page says if there are none. */
interface Waiting {
  id: string
  title: string
  empty?: string
  assignee?: number
  reviewRequested?: number
  poster?: number
  isPull?: boolean
}

const assigned: Waiting = {
  id: 'issues',
  title: 'Assigned to you',
  empty: 'No open issues and pull requests are assigned to you.',
}
const asked: Waiting = { id: 'reviews', title: 'Reviews that you are asked for' }
const proposed: Waiting = { id: 'proposed', title: 'Your open pull requests', isPull: true }

interface Context {
  caller: Pick<SignedIn, 'me' | 'token' | 'unread'>
  sql: Sql
  from: { host: string }
  tools: Pick<PageTools, 'root'>
}

/** What somebody who is signed in starts from: their repositories, issues and notifications. */
export async function startPage(context: Context): Promise<string> {
  const { caller, from } = context
  const { host } = from
  const { me, token } = caller
  const reads = (category: Category) => !token || permits(token.scopes, [category], 'read')
  const isLimited = token?.scopes.publicOnly ?? false
  const [repositories, issues, reviews, pulls, threads] = await Promise.all([
    reads('repository') ? repositoriesSection(context) : undefined,
    reads('issue') ? issuesSection(context, { ...assigned, assignee: me.id }) : undefined,
    reads('issue') ? issuesSection(context, { ...asked, reviewRequested: me.id }) : undefined,
    reads('issue') ? issuesSection(context, { ...proposed, poster: me.id }) : undefined,
    reads('notification') && !isLimited ? threadsSection(context) : undefined,
  ])
  const main = html`<div class="title"><h1>Hello, ${me.full_name || me.name}</h1>
<p class="actions"><a class="button" href="${host}repo/create" aria-keyshortcuts="n">New repository</a> <a class="button quiet" href="${host}org/create">New organization</a> <a href="${host}${me.name}">Your profile</a> <a href="${host}settings">Settings</a> <a href="${host}overview">Overview</a>
${viewerOf(caller)?.isManager ? html`<a href="${host}overview/manage">Manage the site</a>` : undefined}</p></div>
<div class="panel">
<div class="column">${reviews}${issues}${pulls}${repositories}</div>
<div class="column">${threads}${programs(host)}</div>
</div>`
  return page({ host, caller, title: 'Start', main, hasFeed: true })
}

async function repositoriesSection({ caller, sql, from: { host } }: Context): Promise<Html> {
  const filter = { among: { of: caller.me.id } }
  const paging = { page: 1, limit: maximum.repositories }
  const { rows, total } = await pageOfRepositories(sql, readerOf(caller), filter, paging, 'updated desc')
  const entries = rows.map(({ row, owner }) =>
    repositoryEntry({ ...row, path: `${owner.name}/${row.name}` }, host),
  )
  const empty = html`No repositories yet. <a href="${host}repo/create">Create one</a>.`
  const all =
    total > rows.length ? html`<a href="${host}${caller.me.name}">Your profile</a> has more.` : undefined
  return section('repositories', 'Your repositories', listOf(entries, empty), all)
}

/** Open issues and pull requests that wait for the reader; nothing if there are none and `empty` is undefined. */
async function issuesSection(
  { caller, sql, from: { host } }: Context,
  { id, title, empty, ...waiting }: Waiting,
): Promise<Html | undefined> {
  const filter = { state: 'open', q: '', labels: [], milestones: [], ...waiting } as const
  const paging = { page: 1, limit: maximum.issues }
  const { rows, total, hasMore } = await pageOfIssuesEverywhere(sql, readerOf(caller), filter, paging)
  if (rows.length === 0 && empty === undefined) return undefined
  const entries = rows.map(({ owner_name, repository_name, number, title, is_pull, updated_at }) => {
    const path = `${owner_name}/${repository_name}/${is_pull ? 'pulls' : 'issues'}/${number}`
    return rowOf(
      html`<a href="${host}${path}">${title}</a>`,
      html`${is_pull ? 'Pull request, ' : undefined}${owner_name}/${repository_name} #${number}, changed ${timeOf(updated_at)}`,
    )
  })
  const more =
    total > rows.length ? html`and ${hasMore ? 'more than ' : ''}${total - rows.length} more` : undefined
  return section(id, title, listOf(entries, empty), more)
}

async function threadsSection({ caller, sql, from: { host }, tools: { root } }: Context): Promise<Html> {
  const filter = { account: caller.me.id, statuses: ['unread'] } as const
  const { rows } = await pageOfThreads(sql, filter, { page: 1, limit: maximum.threads })
  const threads = await printThreads(sql, rows, { host, root })
  const entries = threads.map((thread) => threadEntry(thread))
  const all = html`<a href="${host}notifications">All notifications</a>`
  return section('unread', 'Unread notifications', listOf(entries, 'No unread notifications.'), all)
}

const section = (
  id: string,
  title: string,
  list: Html,
  more: Piece,
): Html => html`<section class="card${id === 'unread' ? ' first-on-phones' : ''}" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${list}
${more === undefined ? undefined : html`<p class="meta">${more}</p>`}
</section>`

const programs = (host: string): Html => card('programs', 'For programs')`<ul class="list">
<li><a href="${host}settings/tokens">Make an access token</a></li>
<li><a href="${host}api/swagger">Reference of both APIs</a></li>
<li><code>${host}api/v1</code> is the address for clients that are written for Gitea</li>
</ul>`
