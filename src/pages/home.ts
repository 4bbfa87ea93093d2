import * as v from 'valibot'
import type { Sql } from '../db/sql.ts'
import { type Listed, pageOfRepositories } from '../forge/repos/list.ts'
import { readPanel } from '../site/stream/panel-store.ts'
import { type Html, html, timeOf } from './html.ts'
import { page } from './layout.ts'
import { newsSection, onlineSection, parsePanel } from './panel.ts'
import { htmlType } from './profile.ts'
import { publicPage, route } from './route.ts'

/** How many repositories and posts the page shows. */
const most = { repositories: 5, posts: 3 }

const home = route('GET /', {
  operationId: 'getHomePage',
  summary: 'What runs here, and where to go',
  access: publicPage,
  returns: [200, v.string()],
  media: htmlType,
  shared: 'until written',
  handler: async ({ sql, now, tools, from: { host } }) => {
    const panel = parsePanel(await readPanel(sql, now))
    const repositories = tools.requireSignIn ? [] : await visibleRepositories(sql, most.repositories)
    const main = html`<div class="hero">
<h1>Welcome</h1>
<p class="lead">This server keeps the news, media and presence of a website, and repositories with issues, packages and
Actions, for people and for programs.</p>
<p class="actions"><a class="button" href="${host}overview">See what is going on</a>
${tools.publishing ? html`<a class="button quiet" href="${host}overview/manage">Publish something</a>` : undefined}</p>
</div>
<div class="panel">
<div class="column">
${newsSection(panel, host, most.posts)}
${repositoriesSection(repositories, host)}
</div>
<div class="column">
${onlineSection(panel, host)}
${programsSection(host)}
</div>
</div>`
    return page({ host, title: 'Welcome', main })
  },
})

export const homeRoutes = [home]

/** The repositories that anonymous visitors see, last changed first. */
async function visibleRepositories(sql: Sql, limit: number): Promise<readonly Listed[]> {
  const anonymous = { me: undefined, publicOnly: false }
  const { rows } = await pageOfRepositories(sql, anonymous, {}, { page: 1, limit }, 'updated desc')
  return rows
}

function repositoriesSection(repositories: readonly Listed[], host: string): Html | undefined {
  if (repositories.length === 0) return undefined
  return html`<section class="card" aria-labelledby="repositories">
<h2 id="repositories">Repositories</h2>
<ul class="list">${repositories.map(
    ({ row, owner }) => html`
<li><h3><a href="${host}${owner.name}/${row.name}">${owner.name}/${row.name}</a></h3>
${row.description === '' ? undefined : html`<p>${row.description}</p>`}
${timeOf(row.updated_at)}</li>`,
  )}
</ul>
</section>`
}

function programsSection(host: string): Html {
  return html`<section class="card" aria-labelledby="programs">
<h2 id="programs">For programs</h2>
<ul class="list">
<li><a href="${host}api/swagger">Reference of both APIs</a></li>
<li>News, media and presence: <a href="${host}api/openapi.json">OpenAPI 3.1</a></li>
<li>Repositories and accounts: <a href="${host}openapi3.v1.json">OpenAPI 3.1</a>, <a href="${host}swagger.v1.json">Swagger 2.0</a></li>
<li><code>${host}api/v1</code> is the address for clients that are written for Gitea</li>
</ul>
</section>`
}
