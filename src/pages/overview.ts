import * as v from 'valibot'
import { readPanel } from '../site/stream/panel-store.ts'
import { html } from './html.ts'
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
import { htmlType } from './profile.ts'
import { publicPage, route } from './route.ts'

const overview = route(
  'GET /overview',
  {
    operationId: 'getOverviewPage',
    summary: 'The overview panel as a page: who is here, news, media, activity, figures',
    access: publicPage,
    returns: [200, v.string()],
    media: htmlType,
    shared: 'until written',
  },
  async ({ sql, now, from: { host } }) => {
    const panel = parsePanel(await readPanel(sql, now))
    const main = html`<div class="title">
<h1>Overview</h1>
<p class="live" role="status" data-live="${host}api/stats/stream"></p>
</div>
<div class="panel">
<div class="column">
${newsSection(panel)}
${mediaSection(panel)}
${presenceSection(panel, now)}
</div>
<div class="column">
${onlineSection(panel, host)}
${figuresSection(panel)}
${activitySection(panel)}
</div>
</div>`
    return page({ host, title: 'Overview', main, current: 'overview', isLive: true })
  },
)

export const overviewRoutes = [overview]
