import { type Html, html, type Piece } from '../html.ts'
import { type Manager, managePath } from '../session/session.ts'
import { idIn, opening } from './manage-form.ts'

/** What was done, as the address of a page says it: the action of a form, and the row that it was about. */
export interface Did {
  action: string
  id: number | undefined
}

/** What the query of a page says was done. */
export const doneIn = ({ done, id }: { done?: unknown; id?: unknown }): Did | undefined =>
  typeof done === 'string' ? { action: done, id: idIn(id) } : undefined

/** Sentences for what was done. */
const sentences: Readonly<Record<string, string>> = {
  published: 'The post is published.',
  changed: 'The post is changed.',
  scheduled: 'The post is scheduled: the server publishes it at its time.',
  draft: 'The text is saved as a draft. Only administrators see it.',
  'item-added': 'It is on the site.',
  'item-changed': 'It is changed.',
  'remove-post': 'The post is in the trash.',
  'remove-item': 'It is in the trash.',
  'restore-post': 'The post is back on the site.',
  'restore-item': 'It is back on the site.',
  'delete-post': 'The post is deleted.',
  'delete-item': 'It is deleted.',
  'discard-draft': 'The draft is discarded.',
  'name-site': 'The site has the name that is at the top of this page.',
}

/** After these the post is public. */
const linked = new Set(['published', 'changed', 'restore-post'])

/** Says what was done, and offers what comes next, where the focus is. */
export function doneNotice(parts: { host: string; caller: Manager }, { action, id }: Did): Html {
  const sentence = Object.hasOwn(sentences, action) ? sentences[action] : 'Done.'
  return html`<div class="notice" role="status"><p>${sentence} ${nextOf(parts, { action, id })}</p>${undoOf(parts, { action, id })}</div>`
}

function nextOf({ host }: { host: string }, { action, id }: Did): Piece {
  if (linked.has(action) && id !== undefined)
    return html`<a href="${host}overview/news/${id}" autofocus>Look at the post</a>`
  if (action === 'item-added' && id !== undefined)
    return html`<a href="${host}${managePath}/media/${id}" autofocus>Its address</a>`
  if (action === 'remove-post' || action === 'remove-item')
    return html`<a href="${host}${managePath}/trash">See the trash</a>`
  return html`<a href="${host}overview" autofocus>See the overview</a>`
}

/** A removal can be undone at once. */
function undoOf(parts: { host: string; caller: Manager }, { action, id }: Did): Html | undefined {
  const back = { 'remove-post': 'restore-post', 'remove-item': 'restore-item' }[action]
  if (back === undefined || id === undefined) return undefined
  return html`${opening(parts, { action: back, id })}<button class="small" autofocus>Undo</button></form>`
}
