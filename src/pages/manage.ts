import * as v from 'valibot'
import { ReplyWith } from '../http/route/results.ts'
import { newestSessions } from '../site/sessions.ts'
import { allStatistics } from '../site/statistics.ts'
import { readPanel } from '../site/stream/panel-store.ts'
import { act, type Faults, type Fields, type ManageContext } from './manage-actions.ts'
import { managePage } from './manage-page.ts'
import { parsePanel } from './panel.ts'
import { htmlType } from './profile.ts'
import { route } from './route.ts'
import { manager, requireFormToken } from './session.ts'

const reply = { access: manager, returns: [200, v.string()], media: htmlType } as const

const show = route(
  'GET /overview/manage',
  {
    ...reply,
    operationId: 'getManagePage',
    summary: 'Manage the site: news, media, sessions, figures, activity',
    query: { done: v.optional(v.unknown()) },
  },
  ({ query, ...context }) => pageFor(context, {}, {}, query.done !== undefined),
)

const change = route(
  'POST /overview/manage',
  {
    ...reply,
    returns: [303, v.string()],
    operationId: 'manageSite',
    summary: 'Publish or remove news and media, end a session, set the figures, add activity',
    body: v.record(v.string(), v.string()),
    fails: [400, 403, 404],
    alwaysValid: true,
    also: [422],
  },
  async ({ body, ...context }) => {
    requireFormToken(context.caller, body.form_token)
    const faults = await act(context, body)
    if (faults) return new ReplyWith(await pageFor(context, body, faults, false), { status: 422 })
    return new ReplyWith('', {
      status: 303,
      headers: { Location: `${context.from.host}overview/manage?done=1` },
    })
  },
)

export const manageRoutes = [show, change]

async function pageFor(
  context: ManageContext,
  values: Fields,
  faults: Faults,
  isDone: boolean,
): Promise<string> {
  const { sql, now, caller, tools, from } = context
  const [texts, statistics, sessions] = await Promise.all([
    readPanel(sql, now),
    allStatistics(sql),
    newestSessions(sql),
  ])
  const shown = { panel: parsePanel(texts), statistics, sessions, values, faults, isDone }
  return managePage({ ...shown, caller, host: from.host, publishing: tools.publishing })
}
