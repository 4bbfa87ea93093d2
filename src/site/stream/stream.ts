import * as v from 'valibot'
import { streamed } from '../../http/route/sends.ts'
import { anyone, route } from '../route.ts'

/** Our extension: the specification has no events (section 6). */
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
