import * as v from 'valibot'
import { found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { id } from '../../http/route/values.ts'
import { correctItem, publishItem } from '../../site/media.ts'
import { itemById } from '../../site/media-store.ts'
import { field } from '../form.ts'
import { html, webAddress } from '../html.ts'
import { page } from '../layout.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { managePath, manager } from '../session/session.ts'
import { viewerOf } from '../session/viewer.ts'
import {
  attempt,
  type Done,
  type Faults,
  type Fields,
  firstOf,
  isRefusal,
  led,
  type ManageContext,
  makerOf,
  missing,
  opening,
  type Refusal,
  refusalNotice,
  requirePublishing,
  versionIn,
} from './manage-form.ts'

const shown = { access: manager, returns: [200, v.string()], media: htmlType, fails: [403, 404] } as const
const taken = {
  ...shown,
  returns: [303, v.string()],
  body: v.record(v.string(), v.string()),
  fails: [400, 403, 404],
  alwaysValid: true,
  also: [403, 404, 409, 422],
} as const

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
  also: [403, 422],
  fails: [400, 403],
  summary: 'Add a picture or film by its address',
  handler: async ({ body, ...context }) => {
    requirePublishing(context)
    const outcome = await attempt(context, body, () => add(context, body))
    return isRefusal(outcome) ? refused(context, undefined, body, outcome) : led(context, outcome)
  },
})

export const getItemEditPage = route('GET /overview/manage/media/{id}', {
  ...shown,
  params: { id },
  summary: 'Correct a media item',
  handler: async ({ params, ...context }) => {
    requirePublishing(context)
    const { title, url, description, media_type, version } = found(await itemById(context.sql, params.id))
    return itemPage(context, params.id, { title, url, description, media_type, version: String(version) })
  },
})

export const editItem = route('POST /overview/manage/media/{id}', {
  ...taken,
  params: { id },
  summary: 'Save a corrected media item',
  handler: async ({ body, params, ...context }) => {
    requirePublishing(context)
    const outcome = await attempt(context, body, () => correct(context, params.id, body))
    return isRefusal(outcome) ? refused(context, params.id, body, outcome) : led(context, outcome)
  },
})

/** @throws Problem 403 */
async function add(context: ManageContext, fields: Fields): Promise<Done | Refusal> {
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

interface More {
  faults?: Faults
  refused?: string
  /** What somebody else has saved meanwhile. */
  other?: { title: string; url: string; description: string } | undefined
}

function itemPage(
  { caller, from: { host } }: Pick<ManageContext, 'caller' | 'from'>,
  item: number | undefined,
  { title, url, description, media_type, version }: Fields,
  { faults = {}, refused, other }: More = {},
): string {
  const first = firstOf(faults)
  const heading = item === undefined ? 'Add a picture or film' : 'Edit the media item'
  const main = html`<div class="title"><h1>${heading}</h1>
<p class="actions"><a href="${host}${managePath.slice(1)}">Manage the site</a></p></div>
${refusalNotice(refused, first !== undefined)}
${
  other
    ? html`<section class="card" aria-labelledby="other"><h2 id="other">What it says now</h2>
<dl class="facts"><dt>Title</dt><dd>${other.title}</dd><dt>Address</dt><dd>${other.url}</dd><dt>Description</dt><dd>${other.description}</dd></dl>
<p>If you send the form again, it replaces this.</p></section>`
    : undefined
}
<div class="card">
${opening({ host, caller }, { version }, item === undefined ? '/media/new' : `/media/${item}`)}
${field({ name: 'title', label: 'Title', value: title, fault: faults.title, hasFocus: first === 'title' || refused === undefined })}
${
  item === undefined
    ? html`<div class="field"><label for="media-type">Kind</label><select id="media-type" name="media_type"><option value="image">Picture</option><option value="video"${media_type === 'video' ? html` selected` : undefined}>Film</option></select></div>`
    : undefined
}
${field({ name: 'url', label: 'Address', type: 'url', hint: 'Where browsers find it, with https://', value: url, fault: faults.url, hasFocus: first === 'url' })}
${field({ name: 'description', label: 'Description', hint: 'What is to be seen, for those who do not see it.', value: description, isOptional: true })}
<p class="actions"><button>${item === undefined ? 'Add to the site' : 'Save'}</button></p>
</form>
</div>`
  return page({ host, viewer: viewerOf(caller), title: heading, main, current: 'manage' })
}
