import * as v from 'valibot'
import { batched, json, streamed } from '../http/route/sends.ts'
import { overviewPanel } from './overview-store.ts'
import { anyone, route } from './route.ts'
import { allOpenSessions } from './session-store.ts'
import { CurrentUser, Overview } from './site.shape.ts'

export const getOverview = route('GET /api/stats/overview', {
  summary: 'The overview panel',
  access: anyone,
  returns: json(200, Overview),
  shared: 'until written',
  handler: ({ sql }) => overviewPanel(sql),
})

export const listCurrentUsers = route('GET /api/stats/users', {
  summary: 'All open sessions, most recently started first',
  access: anyone,
  returns: batched(200, CurrentUser),
  shared: 'until written',
  handler: ({ sql }) => allOpenSessions(sql),
})

export const streamOverview = route('GET /api/stats/stream', {
  extension: true,
  summary: 'The overview panel, news and media as server-sent events: first everything, then each change',
  access: anyone,
  fails: [429, 503],
  returns: streamed(200, v.string(), 'text/event-stream'),
  handler:
    async ({ tools, from }) =>
    (req, res) =>
      tools.feed.serve(req, res, from.address),
})
