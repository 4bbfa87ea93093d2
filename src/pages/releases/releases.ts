import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { requireShown, seesDrafts } from '../../forge/releases/access.ts'
import { printReleases, type Release } from '../../forge/releases/release.shape.ts'
import { viewOf } from '../../forge/releases/view.ts'
import { type OnRepository, releasesSeen } from '../../forge/repos/access.ts'
import { latestRelease, pageOfReleases, releaseByTag } from '../../forge/repos/release-store.ts'
import type { ForgeContext } from '../../forge/route.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { counted, type Html, html, noneOf, timeOf } from '../html.ts'
import { type FeedLink, pageLinks } from '../layout.ts'
import { noticeOf } from '../operations/fields.ts'
import { htmlType, pageReply } from '../profile.ts'
import { type RenderContext, rendered } from '../rendered.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { fileList } from './file-list.ts'

/**
 * Releases on a page; characters of all their notes, and milliseconds for rendering (the page shows the remaining ones as
 * they are).
 */
const maximum = { releases: 10, characters: 512 * 1024, milliseconds: 5_000 }

export const getReleasesPage = route('GET /{owner}/{repo}/releases', {
  summary: 'Releases of a repository with their notes and files, newest first, as a page',
  access: releasesSeen(),
  query: { page: pageQuery().page, done: queryText },
  ...pageReply,
  handler: async ({ query, ...context }) => {
    const { caller, sql, from } = context
    const { host } = from
    const { id, owner, name } = caller.repo
    const paging = { page: query.page, limit: maximum.releases }
    const filter = { repository: id, seesDrafts: seesDrafts(caller) }
    const list = await pageOfReleases(sql, filter, paging)
    const { rows, total } = list
    const sections = await releaseSections(context, await printReleases(sql, rows, viewOf(context)))
    const done = query.done === 'deleted' ? 'The release was deleted. Its tag stays.' : undefined
    const main = html`<div class="title"><h2>${counted(total, 'release')}</h2>${mayChange(caller) ? html`<a class="button" href="${host}${owner.name}/${name}/releases/new">New release</a>` : undefined}</div>
${noticeOf(done, undefined)}
${rows.length === 0 ? html`<p class="empty">${total > 0 ? noneOf(['release'], query) : 'No releases yet. A release gives a tag a title, notes and files.'}</p>` : sections}
${pageLinks(list, `${host}${owner.name}/${name}/releases`)}`
    const feed: FeedLink = {
      title: `Releases of ${owner.name}/${name}`,
      addressOf: (format) => `${host}${owner.name}/${name}/releases.${format}`,
    }
    return repositoryPage({ host, sql, caller, current: 'releases', title: 'Releases', main, feed })
  },
})

export const getReleasePage = route('GET /{owner}/{repo}/releases/tag/{tag...}', {
  summary: 'A release with its notes and files, as a page',
  access: releasesSeen(),
  ...pageReply,
  handler: async ({ params, ...context }) => {
    const { caller, sql, from } = context
    const { host } = from
    const row = requireShown(caller, await releaseByTag(sql, caller.repo.id, params.tag))
    const releases = await printReleases(sql, [row], viewOf(context))
    const main = html`${await releaseSections(context, releases)}`
    return repositoryPage({ host, sql, caller, current: 'releases', title: row.name || row.tag_name, main })
  },
})

export const getLatestReleasePage = route('GET /{owner}/{repo}/releases/latest', {
  summary: 'Redirect to the newest release that is neither a draft nor a prerelease',
  access: releasesSeen(),
  fails: [404],
  returns: textAs(303, htmlType),
  handler: async ({ caller, sql, from: { host } }) => {
    const { id, owner, name } = caller.repo
    const { tag_name } = found(await latestRelease(sql, id))
    const Location = `${host}${owner.name}/${name}/releases/tag/${escapeSegments(tag_name)}`
    return new ReplyWith('', { status: 303, headers: { Location } })
  },
})

/** Whether a page offers its reader to change releases; the operation behind the form decides. */
const mayChange = (caller: OnRepository) =>
  !caller.repo.is_archived && caller.me !== undefined && seesDrafts(caller)

type ReleaseContext = RenderContext & Pick<ForgeContext<OnRepository>, 'caller'>

/** Releases one below the other. */
async function releaseSections(context: ReleaseContext, releases: readonly Release[]): Promise<Html[]> {
  const { owner, name } = context.caller.repo
  const place = { context: `${owner.name}/${name}`, owner: owner.id }
  const until = performance.now() + maximum.milliseconds
  let left = maximum.characters
  const sections: Html[] = []
  for (const release of releases) {
    left -= release.body.length
    const isAffordable = left >= 0 && performance.now() < until
    const notes = isAffordable
      ? await rendered(context, { text: release.body, mode: 'comment', ...place })
      : undefined
    sections.push(releaseSection(context, release, notes ?? html`<pre>${release.body}</pre>`))
  }
  return sections
}

function releaseSection({ caller, from }: ReleaseContext, release: Release, notes: Html): Html {
  const { id, html_url, name, tag_name, draft, prerelease, author, published_at, assets } = release
  const { owner, name: repository, has_code } = caller.repo
  const home = `${from.host}${owner.name}/${repository}`
  const tag = escapeSegments(tag_name)
  // The tag of a draft may not be there yet.
  const hasSource = has_code && !draft
  const tagName = html`<span class="badge">${tag_name}</span>`
  return html`<section class="card" aria-labelledby="release-${id}">
<div class="row"><h2 id="release-${id}"><a href="${html_url}">${name || tag_name}</a></h2>
<span>${hasSource ? html`<a href="${home}/src/tag/${tag}">${tagName}</a>` : tagName}${draft ? html` <span class="badge">draft</span>` : undefined}${prerelease ? html` <span class="badge">prerelease</span>` : undefined}${mayChange(caller) ? html` <a href="${home}/releases/edit/${tag}" aria-label="Change ${name || tag_name}">Change</a>` : undefined}</span></div>
<p class="meta">by ${author.login} ${timeOf(published_at)}</p>
<div class="rendered">${notes}</div>
${fileList(assets)}
${hasSource ? html`<p class="meta">Source: <a href="${release.zipball_url}">zip</a> · <a href="${release.tarball_url}">tar.gz</a></p>` : undefined}
</section>`
}
