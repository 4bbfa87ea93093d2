import { batched, json } from '../http/route/sends.ts'
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
  summary: 'Who is online: every open session, most recently started first',
  access: anyone,
  returns: batched(200, CurrentUser),
  shared: 'until written',
  handler: ({ sql }) => allOpenSessions(sql),
})
