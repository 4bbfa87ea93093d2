import { found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { id } from '../../http/route/values.ts'
import { correctItem, publishItem } from '../../site/media.ts'
import { itemById } from '../../site/media-store.ts'
import { webAddress } from '../html.ts'
import { route } from '../route.ts'
import { bySender } from '../session/sender.ts'
import { shown, taken } from './editor-routes.ts'
import { itemPage } from './item-page.ts'
import {
  attempt,
  type Done,
  type Faults,
  type Fields,
  isRefusal,
  led,
  type ManageContext,
  makerOf,
  missing,
  type Refusal,
  requirePublishing,
  versionIn,
} from './manage-form.ts'

export const getNewItemPage = route('GET /overview/manage/media/new', {
  ...shown,
  fails: [403],
  summary: 'Add a picture or film',
  handler: (context) => {
    requirePublishing(context)
    return itemPage(context, undefined, {})
  },
})

export const addItem = route('POST /overview/manage/media/new', {
  ...taken,
  also: [401, 403, 422],
  fails: [400, 403],
  summary: 'Add a picture or film by its address',
  handler: ({ body, caller: sender, ...context }) =>
    bySender(sender, body, (caller) =>
      take({ ...context, caller }, undefined, body, (within) => add(within, body)),
    ),
})

export const getItemEditPage = route('GET /overview/manage/media/{id}', {
  ...shown,
  params: { id },
  summary: 'Correct a media item',
  handler: async ({ params, ...context }) => {
    requirePublishing(context)
    const { title, url, description, picture, version } = found(await itemById(context.sql, params.id))
    const fields = { title, url, description, version: String(version) }
    return itemPage(context, params.id, { ...fields, ...(picture !== null && { picture: 'own' }) })
  },
})

export const editItem = route('POST /overview/manage/media/{id}', {
  ...taken,
  params: { id },
  summary: 'Save a corrected media item',
  handler: ({ body, params: { id: item }, caller: sender, ...context }) =>
    bySender(sender, body, (caller) =>
      take({ ...context, caller }, item, body, (within) => correct(within, item, body)),
    ),
})

/** Does what the form asks for, or shows it again with what was written. @throws Problem 403 */
async function take(
  context: ManageContext,
  item: number | undefined,
  body: Fields,
  act: Parameters<typeof attempt>[2],
): Promise<ReplyWith<string>> {
  requirePublishing(context)
  const outcome = await attempt(context, body, act)
  return isRefusal(outcome) ? refused(context, item, body, outcome) : led(context, outcome)
}

/** @throws Problem 403 */
async function add(context: ManageContext, fields: Fields): Promise<Done | Refusal> {
  // Of a form with a picture that was sent after the end of a session the texts are left.
  if (fields.upload !== undefined)
    return {
      status: 422,
      faults: { picture: 'Choose the picture again.' },
      refused: 'The picture is missing.',
    }
  const faults = faultsOf(fields)
  if (faults) return { status: 422, faults, refused: 'See what is marked.' }
  const { title = '', url = '', description = '' } = fields
  const media_type = fields.media_type === 'video' ? 'video' : 'image'
  const { id } = await publishItem(makerOf(context), { title, media_type, url, description })
  return { page: '', query: { done: 'item-added', id } }
}

/** @throws Problem 403, 404, 409 */
async function correct(context: ManageContext, item: number, fields: Fields): Promise<Done | Refusal> {
  const faults = faultsOf(fields)
  if (faults) return { status: 422, faults, refused: 'See what is marked.' }
  const { title = '', url = '', description = '', version } = fields
  const correction = { title, url, description, version: versionIn(version) }
  const { id } = await correctItem(makerOf(context), item, correction)
  return { page: '', query: { done: 'item-changed', id } }
}

function faultsOf({ title = '', url = '' }: Fields): Faults | undefined {
  const empty = missing({ title, url })
  if (empty || webAddress(url)) return empty
  return { url: 'This must be an address that begins with http:// or https://.' }
}

/** The form as it was sent; after a change by somebody else it is one that was made from that, which stands above it. */
async function refused(
  context: ManageContext,
  item: number | undefined,
  fields: Fields,
  { status, ...why }: Refusal,
): Promise<ReplyWith<string>> {
  const other = status === 409 && item !== undefined ? await itemById(context.sql, item) : undefined
  const version = other ? { version: String(other.version) } : {}
  const again = itemPage(context, item, { ...fields, ...version }, { ...why, other })
  return new ReplyWith(again, { status })
}
