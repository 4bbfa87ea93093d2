import type { Begin, Sql, Tx } from '../db/sql.ts'
import { record } from '../forge/admin/audit-trail.ts'
import { badRequest, forbidden, found, notFound } from '../http/route/problem.ts'
import type { Origin } from '../http/server/origin.ts'
import { insertActivity } from '../site/activity.ts'
import { type ChangeContext, makeChange, type SiteChange } from '../site/change.ts'
import { publishItem, removeItem } from '../site/media.ts'
import { publishPost, removePost } from '../site/news.ts'
import { endOpenSession, usernameOf } from '../site/sessions.ts'
import { isStatisticKey, upsertStatistics } from '../site/statistics.ts'
import { webAddress } from './html.ts'
import type { PageTools } from './route.ts'
import type { Manager } from './session/session.ts'

/** A form as it was sent. */
export type Fields = Readonly<Record<string, string>>

/** The faults of a form: a sentence for each field. */
export type Faults = Readonly<Record<string, string>>

/** What the actions need of a request. */
export interface ManageContext {
  sql: Sql
  begin: Begin
  now: Date
  caller: Manager
  tools: PageTools
  from: Origin
}

/**
 * Does what a form asks for, and records it in the audit trail; returns faults where it cannot.
 * @throws Problem 400, 403, 404
 */
export async function act(context: ManageContext, fields: Fields): Promise<Faults | undefined> {
  const { action = '', title = '', content = '', url = '', description = '' } = fields
  if (/^(?:publish|remove)-/.test(action) && !context.tools.publishing)
    throw forbidden('news and media cannot be changed on this server')
  const by = { caller: { me: context.caller.me, impersonator: undefined }, from: context.from }
  const maker = { ...context, caller: (tx: Tx, change: SiteChange) => record(tx, by, change) }
  switch (action) {
    case 'publish-news': {
      const faults = missing({ title, content })
      if (!faults) await publishPost(maker, { title, content })
      return faults
    }
    case 'publish-media': {
      const media_type = fields.media_type === 'video' ? 'video' : 'image'
      const faults =
        missing({ 'media-title': title, url }) ??
        (webAddress(url)
          ? undefined
          : { url: 'This must be an address that begins with http:// or https://.' })
      if (!faults) await publishItem(maker, { title, media_type, url })
      return faults
    }
    case 'remove-news':
      await removePost(maker, idIn(fields))
      return undefined
    case 'remove-media':
      await removeItem(maker, idIn(fields))
      return undefined
    case 'end-session':
      await closeSession(maker, idIn(fields))
      return undefined
    case 'set-figures':
      await setFigures(maker, fields)
      return undefined
    case 'add-activity': {
      const faults = missing({ description })
      if (!faults) await addActivity(maker, description)
      return faults
    }
    default:
      throw badRequest('the form asks for nothing that there is')
  }
}

/** The row that a form is about. @throws Problem 404 */
function idIn({ id }: Fields): number {
  const number = Number(id)
  if (!Number.isSafeInteger(number)) throw notFound()
  return number
}

/** @throws Problem 404 unless the session is open */
async function closeSession(maker: ChangeContext, id: number): Promise<void> {
  await makeChange(
    maker,
    async (sql, now) => {
      found(await endOpenSession(sql, id, now))
      return usernameOf(sql, id)
    },
    (name) => ({ action: 'session.ended', target: { kind: 'session', id, name } }),
  )
}

async function setFigures(maker: ChangeContext, fields: Fields): Promise<void> {
  const details = Object.fromEntries(Object.entries(fields).filter(([name]) => isStatisticKey(name)))
  await makeChange(
    maker,
    (sql) => upsertStatistics(sql, details),
    () => ({ action: 'figures.set', target: { kind: 'site', name: 'figures' }, details }),
  )
}

async function addActivity(maker: ChangeContext, description: string): Promise<void> {
  await makeChange(
    maker,
    (sql, now) => insertActivity(sql, [description], now),
    ([entry]) => ({
      action: 'activity.added',
      target: { kind: 'activity', ...(entry && { id: entry.id }), name: description },
    }),
  )
}

function missing(values: Fields): Faults | undefined {
  const empty = Object.entries(values).filter(([, value]) => value.trim() === '')
  if (empty.length === 0) return undefined
  return Object.fromEntries(empty.map(([name]) => [name, 'This must not be empty.']))
}
