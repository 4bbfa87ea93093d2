import * as v from 'valibot'
import { notFound } from '../../http/route/problem.ts'
import { insertActivity } from '../../site/activity-store.ts'
import { type ChangeContext, makeChange } from '../../site/change.ts'
import { discardDraft } from '../../site/drafts.ts'
import { setName } from '../../site/name.ts'
import { closeSession } from '../../site/sessions.ts'
import { maxNameLength, SiteName } from '../../site/site.option.ts'
import { isStatisticKey, upsertStatistics } from '../../site/statistic-store.ts'
import { deleteEntry, removeEntry, restoreEntry } from '../../site/trash.ts'
import { type Fields, unknownAction } from '../form.ts'
import { placeFields, placeIn } from './listing.ts'
import {
  type Done,
  idIn,
  type ManageContext,
  makerOf,
  missing,
  type Refusal,
  refusalFor,
  requirePublishing,
} from './manage-form.ts'

/** Changes of one row, by the action of the form. */
const rowActions: Readonly<Record<string, (context: ChangeContext, id: number) => Promise<void>>> = {
  'remove-post': (context, id) => removeEntry(context, 'news', id),
  'restore-post': (context, id) => restoreEntry(context, 'news', id),
  'delete-post': (context, id) => deleteEntry(context, 'news', id),
  'remove-item': (context, id) => removeEntry(context, 'media', id),
  'restore-item': (context, id) => restoreEntry(context, 'media', id),
  'delete-item': (context, id) => deleteEntry(context, 'media', id),
  'discard-draft': discardDraft,
}

/**
 * Does what a form of the page asks for, and records it in the audit trail.
 * @throws Problem 400, 403, 404
 */
export async function act(context: ManageContext, fields: Fields): Promise<Done | Refusal> {
  const { action = '', description = '' } = fields
  const page = fields.back === 'trash' ? '/trash' : ''
  const place = placeFields(placeIn(fields))
  const ofRow = Object.hasOwn(rowActions, action) ? rowActions[action] : undefined
  if (ofRow) {
    requirePublishing(context)
    const id = requireId(fields)
    await ofRow(makerOf(context), id)
    return { page, query: { done: action, id, ...place } }
  }
  switch (action) {
    case 'end-session':
      await closeSession(makerOf(context), requireId(fields))
      break
    case 'set-figures':
      await setFigures(makerOf(context), fields)
      break
    case 'add-activity': {
      const faults = missing({ description })
      if (faults) return refusalFor(faults)
      await addActivity(makerOf(context), description)
      break
    }
    case 'name-site': {
      const name = v.safeParse(SiteName, fields.name ?? '')
      if (!name.success)
        return refusalFor({ name: `This must be one line of at most ${maxNameLength} characters.` })
      await setName(makerOf(context), name.output)
      break
    }
    default:
      throw unknownAction()
  }
  return { page, query: { done: action, ...place } }
}

/** The row that a form is about. @throws Problem 404 */
function requireId({ id }: Fields): number {
  const number = idIn(id)
  if (number === undefined) throw notFound()
  return number
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
