import { found } from '../../http/route/problem.ts'
import type { ReplyWith } from '../../http/route/results.ts'
import { id } from '../../http/route/values.ts'
import { correctItem, publishItem } from '../../site/media.ts'
import { itemById } from '../../site/media-store.ts'
import type { Faults, Fields } from '../form.ts'
import { webAddress } from '../html.ts'
import { route } from '../route.ts'
import { bySender } from '../sign-in/sender.ts'
import { shown, taken } from './editor-routes.ts'
import { itemPage } from './item-page.ts'
import {
  type Done,
  type ManageContext,
  makerOf,
  missing,
  type Refusal,
  refusalFor,
  replyTo,
  versionIn,
} from './manage-form.ts'

export const getNewItemPage = route('GET /overview/manage/media/new', {
  ...shown,
  fails: [403],
  summary: 'Add a picture or film',
  handler: (context) => itemPage(context, undefined, {}),
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

/** @throws Problem 400, 403 */
const take = (
  context: ManageContext,
  item: number | undefined,
  fields: Fields,
  act: Parameters<typeof replyTo>[2],
): Promise<ReplyWith<string>> =>
  replyTo(context, fields, act, (refusal) => pageAgain(context, item, fields, refusal))

/** @throws Problem 403 */
async function add(context: ManageContext, fields: Fields): Promise<Done | Refusal> {
  // A form with a picture that was sent after the end of a session has kept its texts only.
  if (fields.upload !== undefined)
    return {
      status: 422,
      faults: { picture: 'Choose the picture again.' },
      refused: 'The picture is missing.',
    }
  const faults = faultsOf(fields)
  if (faults) return refusalFor(faults)
  const { title = '', url = '', description = '' } = fields
  const media_type = fields.media_type === 'video' ? 'video' : 'image'
  const { id } = await publishItem(makerOf(context), { title, media_type, url, description })
  return { page: '', query: { done: 'item-added', id } }
}

/** @throws Problem 403, 404, 409 */
async function correct(context: ManageContext, item: number, fields: Fields): Promise<Done | Refusal> {
  const faults = faultsOf(fields)
  if (faults) return refusalFor(faults)
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

/** The form as it was sent. After a change by somebody else it has the version of that, which the page shows above it. */
async function pageAgain(
  context: ManageContext,
  item: number | undefined,
  fields: Fields,
  { status, ...why }: Refusal,
): Promise<string> {
  const other = status === 409 && item !== undefined ? await itemById(context.sql, item) : undefined
  const version = other ? { version: String(other.version) } : {}
  return itemPage(context, item, { ...fields, ...version }, { ...why, other })
}
