import * as v from 'valibot'
import { Problem } from '../http/route/problem.ts'
import { ReplyWith } from '../http/route/results.ts'
import { newestSessions } from '../site/sessions.ts'
import { allStatistics } from '../site/statistics.ts'
import { readPanel } from '../site/stream/panel-store.ts'
import { act, type Faults, type Fields, type ManageContext } from './manage-actions.ts'
import { managePage } from './manage-page.ts'
import { parsePanel } from './panel.ts'
import { htmlType } from './profile.ts'
import { route } from './route.ts'
import { isFormOf, manager } from './session.ts'

const reply = { access: manager, returns: [200, v.string()], media: htmlType } as const

const show = route('GET /overview/manage', {
  ...reply,
  operationId: 'getManagePage',
  summary: 'Manage the site: news, media, sessions, figures, activity',
  query: { done: v.optional(v.unknown()) },
  handler: ({ query, ...context }) => pageFor(context, { isDone: query.done !== undefined }),
})

const change = route('POST /overview/manage', {
  ...reply,
  returns: [303, v.string()],
  operationId: 'manageSite',
  summary: 'Publish or remove news and media, end a session, set the figures, add activity',
  body: v.record(v.string(), v.string()),
  fails: [400, 403, 404],
  alwaysValid: true,
  also: [403, 404, 422],
  handler: async ({ body, ...context }) => {
    const refusal = await refusalOf(context, body)
    if (refusal) {
      const { status, ...shown } = refusal
      return new ReplyWith(await pageFor(context, { values: body, ...shown }), { status })
    }
    return new ReplyWith('', {
      status: 303,
      headers: { Location: `${context.from.host}overview/manage?done=1` },
    })
  },
})

export const manageRoutes = [show, change]

/** Why a form has changed nothing, beside the page with what was written. */
interface Refusal {
  status: 403 | 404 | 422
  faults?: Faults
  refused: string
}

/** Does what a form asks for; undefined if that is done. @throws Problem 400, 403 */
async function refusalOf(context: ManageContext, body: Fields): Promise<Refusal | undefined> {
  if (!isFormOf(context.caller, body.form_token))
    return { status: 403, refused: 'You have signed in again since this page was loaded. Send it once more.' }
  try {
    const faults = await act(context, body)
    return faults && { status: 422, faults, refused: 'See the fields that are marked.' }
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error
    return { status: 404, refused: 'It is no longer there.' }
  }
}

async function pageFor(
  context: ManageContext,
  outcome: { values?: Fields; faults?: Faults; refused?: string; isDone?: boolean },
): Promise<string> {
  const { sql, now, caller, tools, from } = context
  const [texts, statistics, sessions] = await Promise.all([
    readPanel(sql, now),
    allStatistics(sql),
    newestSessions(sql),
  ])
  const shown = { values: {}, faults: {}, ...outcome, panel: parsePanel(texts), statistics, sessions }
  return managePage({ ...shown, caller, host: from.host, publishing: tools.publishing })
}
