import * as v from 'valibot'
import type { Sql } from '../db/sql.ts'
import { badRequest, forbidden, found } from '../http/route/problem.ts'
import { ReplyWith } from '../http/route/results.ts'
import { insertActivity } from '../site/activity.ts'
import { deleteItem, insertItem } from '../site/media.ts'
import { deletePost, insertPost } from '../site/news.ts'
import { endOpenSession, newestSessions } from '../site/sessions.ts'
import { allStatistics, isStatisticKey, upsertStatistics } from '../site/statistics.ts'
import { readPanel } from '../site/stream/panel-store.ts'
import { webAddress } from './html.ts'
import { managePage } from './manage-page.ts'
import { parsePanel } from './panel.ts'
import { htmlType } from './profile.ts'
import { type PageTools, route } from './route.ts'
import { type Manager, manager, requireFormToken } from './session.ts'

const Fields = v.record(v.string(), v.string())
type Fields = v.InferOutput<typeof Fields>

/** What is wrong with a form: a sentence for each field. */
type Faults = Readonly<Record<string, string>>

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
    operationId: 'manageSite',
    summary: 'Publish or remove news and media, end a session, set the figures, add activity',
    body: Fields,
    fails: [400, 403, 404],
    also: [303, 422],
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

interface Context {
  sql: Sql
  now: Date
  caller: Manager
  tools: PageTools
  from: { host: string }
}

async function pageFor(context: Context, values: Fields, faults: Faults, isDone: boolean): Promise<string> {
  const { sql, now, caller, tools, from } = context
  const [texts, statistics, sessions] = await Promise.all([
    readPanel(sql, now),
    allStatistics(sql),
    newestSessions(sql),
  ])
  const shown = { panel: parsePanel(texts), statistics, sessions, values, faults, isDone }
  return managePage({ ...shown, caller, host: from.host, publishing: tools.publishing })
}

/** Does what a form asks for; returns faults where it cannot. @throws Problem 400, 403, 404 */
async function act({ sql, now, tools }: Context, fields: Fields): Promise<Faults | undefined> {
  const { action = '', title = '', content = '', url = '', description = '' } = fields
  if (/^(?:publish|remove)-/.test(action) && !tools.publishing)
    throw forbidden('news and media cannot be changed on this server')
  const id = Number(fields.id)
  const one = async (run: (id: number) => Promise<unknown>) =>
    void found(Number.isSafeInteger(id) ? await run(id) : undefined)
  switch (action) {
    case 'publish-news': {
      const faults = missing({ title, content })
      if (!faults) await insertPost(sql, { title, content, at: now })
      return faults
    }
    case 'publish-media': {
      const media_type = fields.media_type === 'video' ? 'video' : 'image'
      const faults =
        missing({ 'media-title': title, url }) ??
        (webAddress(url)
          ? undefined
          : { url: 'This must be an address that begins with http:// or https://.' })
      if (!faults) await insertItem(sql, { title, media_type, url, at: now })
      return faults
    }
    case 'remove-news':
      return one((post) => deletePost(sql, post))
    case 'remove-media':
      return one((item) => deleteItem(sql, item))
    case 'end-session':
      return one((session) => endOpenSession(sql, session, now))
    case 'set-figures': {
      const figures = Object.entries(fields).filter(([name]) => isStatisticKey(name))
      await upsertStatistics(sql, Object.fromEntries(figures))
      return undefined
    }
    case 'add-activity': {
      const faults = missing({ description })
      if (!faults) await insertActivity(sql, [description], now)
      return faults
    }
    default:
      throw badRequest('the form asks for nothing that there is')
  }
}

function missing(values: Fields): Faults | undefined {
  const empty = Object.entries(values).filter(([, value]) => value.trim() === '')
  if (empty.length === 0) return undefined
  return Object.fromEntries(empty.map(([name]) => [name, 'This must not be empty.']))
}
