import { found } from '../http/route/problem.ts'
import { textAs } from '../http/route/sends.ts'
import { id } from '../http/route/values.ts'
import { postWithNeighbours } from '../site/news-store.ts'
import { readPanel } from '../site/stream/panel-store.ts'
import { html, timeOf } from './html.ts'
import { page } from './layout.ts'
import {
  activitySection,
  figuresSection,
  mediaSection,
  newsSection,
  onlineSection,
  parsePanel,
  presenceSection,
} from './panel.ts'
import { htmlType, pageReply } from './profile.ts'
import { route } from './route.ts'
import { managePath } from './session/session.ts'
import { viewerOf, visitor } from './session/viewer.ts'
import { postBody } from './site/post-body.ts'

/** What the first links of the overview lead to. */
const parts = [
  ['online', 'Online now'],
  ['news', 'News'],
  ['media', 'Media'],
  ['presence', 'Presence'],
  ['figures', 'Figures'],
  ['activity', 'Recent activity'],
] as const

export const getOverviewPage = route('GET /overview', {
  summary: 'The overview panel as a page: who is here, news, media, activity, figures',
  access: visitor,
  returns: textAs(200, htmlType),
  shared: 'until written',
  handler: async ({ caller, sql, now, tools, from: { host } }) => {
    const panel = parsePanel(await readPanel(sql, now))
    const main = html`<div class="title">
<h1>Overview</h1>
<p class="live" role="status" data-live="${host}api/stats/stream"></p>
</div>
<div class="panel">
<div class="column">
${newsSection(panel, { host, publishing: tools.publishing })}
${mediaSection(panel, host)}
${presenceSection(panel, now)}
</div>
<div class="column">
${onlineSection(panel, host)}
${figuresSection(panel)}
${activitySection(panel)}
</div>
</div>`
    return page({
      host,
      caller,
      title: 'Overview',
      main,
      current: 'overview',
      hasFeed: true,
      script: 'live',
      parts,
    })
  },
})

export const getNewsPage = route('GET /overview/news/{id}', {
  ...pageReply,
  summary: 'A news post in full, as a page',
  access: visitor,
  params: { id },
  shared: 'until written',
  handler: async ({ caller, params, sql, tools, from: { host } }) => {
    const post = found(await postWithNeighbours(sql, params.id))
    const { title, created_at, updated_at, newer, older } = post
    const link = (to: number | null, text: string) =>
      to === null ? undefined : html`<a href="${host}overview/news/${to}">${text}</a>`
    const main = html`<div class="post">
<article class="card" dir="auto">
<h1>${title}</h1>
<p>${timeOf(created_at)}${updated_at === null ? undefined : html` <span class="meta">changed ${timeOf(updated_at)}</span>`}</p>
${await postBody({ tools, from: { host } }, post)}
</article>
<p class="actions">${link(newer, 'Newer post')} ${link(older, 'Older post')} <a href="${host}overview">Overview</a>
${viewerOf(caller)?.isManager ? html`<a href="${host}${managePath}/posts/${params.id}">Edit</a>` : undefined}</p>
</div>`
    return page({ host, caller, title, main, current: 'overview', hasFeed: true })
  },
})
