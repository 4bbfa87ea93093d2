import type { Sql } from '../db/sql.ts'
import { type Listed, pageOfRepositories } from '../forge/repos/repo-list-store.ts'
import { textAs } from '../http/route/sends.ts'
import { readPanel } from '../site/stream/panel-store.ts'
import { repositoryEntry } from './explore/repository-entry.ts'
import { type Html, html } from './html.ts'
import { card, page } from './layout.ts'
import { newsSection, onlineSection, parsePanel, type Site } from './panel.ts'
import { startPage } from './person/start.ts'
import { htmlType } from './profile.ts'
import { route } from './route.ts'
import { visitor } from './session/viewer.ts'
import { siteNameMark } from './site-name.ts'

/** How many repositories and posts the page shows. */
const maximum = { repositories: 5, posts: 3 }

/** Visitors; the page of who is signed in depends on everything that their session may read. */
const starter: typeof visitor = {
  ...visitor,
  key: ({ me, token }) =>
    JSON.stringify([me?.id, me?.is_admin, me?.is_restricted, me?.full_name, token?.scopes]),
}

export const getHomePage = route('GET /', {
  summary: 'The home page; for who is signed in, their repositories, issues and notifications',
  access: starter,
  returns: textAs(200, htmlType),
  shared: 'until written',
  handler: async ({ caller, sql, now, tools, from }) => {
    const { host } = from
    const { me } = caller
    if (me) return startPage({ caller: { ...caller, me }, sql, from, tools })
    const panel = parsePanel(await readPanel(sql, now))
    const repositories = tools.requireSignIn ? [] : await visibleRepositories(sql, maximum.repositories)
    const site = { host, publishing: tools.publishing }
    const isNew = panel.news.length === 0 && tools.publishing
    const main = html`<div class="hero">
<h1>Welcome to ${siteNameMark}</h1>
<p class="lead">This server keeps the news, pictures and visitors of a website, and repositories with issues, packages and
workflow runs.</p>
${startLinks(site, isNew)}
</div>
<div class="panel">
<div class="column">
${isNew ? firstSteps(host) : newsSection(panel, site, maximum.posts)}
${repositoriesSection(repositories, host)}
</div>
<div class="column">
${onlineSection(panel, host)}
${programsSection(host)}
</div>
</div>`
    return page({ host, caller, title: 'Welcome', main, hasFeed: true })
  },
})

/** Links to the overview and the form of a post, which is first on a site without posts. */
function startLinks({ host, publishing }: Site, isNew: boolean): Html {
  const tone = (isFirst: boolean) => `button${isFirst ? '' : ' quiet'}`
  const publish = html`<a class="${tone(isNew)}" href="${host}overview/manage/posts/new">Publish a post</a>`
  const look = html`<a class="${tone(!isNew)}" href="${host}overview">See what is going on</a>`
  return html`<p class="actions">${isNew ? [publish, look] : [look, publishing ? publish : undefined]}</p>`
}

/** The first steps on a new server. */
function firstSteps(host: string): Html {
  return card('first-steps', 'First steps')`<ol class="steps">
<li><strong><a href="${host}overview/manage/posts/new">Publish a post.</a></strong> Sign in with the name and password that the server
printed in its terminal when it first started.</li>
<li><strong><a href="${host}overview">Look at the overview.</a></strong> It shows posts, pictures and who is online, as they
come.</li>
<li><strong><a href="${host}api/swagger">Create a repository.</a></strong> Use a program that is written for Gitea, or try it in
the API reference.</li>
</ol>`
}

/** The repositories that anonymous visitors see, last changed first. */
async function visibleRepositories(sql: Sql, limit: number): Promise<readonly Listed[]> {
  const anonymous = { me: undefined, publicOnly: false }
  const { rows } = await pageOfRepositories(sql, anonymous, {}, { page: 1, limit }, 'updated desc')
  return rows
}

function repositoriesSection(repositories: readonly Listed[], host: string): Html | undefined {
  if (repositories.length === 0) return undefined
  return card('repositories', 'Repositories')`<ul class="list">${repositories.map(({ row, owner }) =>
    repositoryEntry({ ...row, path: `${owner.name}/${row.name}` }, host),
  )}
</ul>`
}

function programsSection(host: string): Html {
  return card('programs', 'For programs')`<ul class="list">
<li><a href="${host}api/swagger">Reference of both APIs</a></li>
<li>News, media and presence: <a href="${host}api/openapi.json">OpenAPI 3.1</a></li>
<li>Repositories and accounts: <a href="${host}openapi3.v1.json">OpenAPI 3.1</a>, <a href="${host}swagger.v1.json">Swagger 2.0</a></li>
<li><code>${host}api/v1</code> is the address for clients that are written for Gitea</li>
</ul>`
}
