import { field, hiddenFields, opener } from '../form.ts'
import { type Html, html } from '../html.ts'
import { textField } from '../issues/comment-form.ts'
import { fieldsOf, noticeOf } from '../operations/fields.ts'
import { newFormId } from '../operations/once.ts'
import type { Reviewed } from './review-context.ts'

/** A line of a file that somebody comments on. */
export interface CommentedLine {
  /** The path after the change. */
  path: string
  isOld: boolean
  line: number
}

/** Reads `old:12`, `new:12` or `12`; undefined: it is no line. */
export function lineNamed(path: string, at: string): CommentedLine | undefined {
  const [, side = 'new', line = ''] = /^(?:(old|new):)?([1-9]\d{0,8})$/.exec(at.trim()) ?? []
  return path === '' || line === '' ? undefined : { path, isOld: side === 'old', line: Number(line) }
}

/** The same as the place of a note. */
export const placeNamed = ({ isOld, line }: CommentedLine) => `${isOld ? 'old' : 'new'}:${line}`

interface LineForm {
  at: CommentedLine
  /** The path before the change, if the file was renamed. */
  previous: string | undefined
  /** The commit that the page shows. */
  head: string
  /** Whether the reader has begun a review: a comment of its own would end it. */
  hasDraft: boolean
}

/** The form for a comment on a line. */
export function lineForm(
  { context, address, place, values, refusal }: Reviewed,
  { at, previous, head, hasDraft }: LineForm,
): Html {
  const isSent = values.action === 'comment'
  const text = fieldsOf(isSent ? values : {}, isSent ? refusal : undefined, 'body')('body')
  const side = at.isOld ? ' before the change' : ''
  const named = {
    path: at.path,
    previous,
    at: placeNamed(at),
    commit: isSent ? (values.commit ?? head) : head,
  }
  return html`<form class="thread" method="post" action="${address}/files" id="line-form" aria-label="Comment on line ${at.line}" data-then="#review">
${isSent ? noticeOf(undefined, refusal) : undefined}
${hiddenFields({ action: 'comment', ...named, ...place, ...newFormId() })}
${textField(context, { ...text, id: `body-${placeNamed(at).replace(':', '-')}`, label: `Comment on line ${at.line}${side}`, rows: 4 })}
<div class="actions">${hasDraft ? undefined : html`<button class="small" name="event" value="COMMENT">Comment</button> `}<button class="${hasDraft ? 'small' : 'quiet small'}" name="event" value="PENDING">${hasDraft ? 'Add to my review' : 'Begin a review'}</button> <a href="${address}/files">Cancel</a></div>
</form>`
}

/** The form that opens such a form, which the buttons beside the lines send, too. `id`: theirs. */
export const lineChooser = (
  { address, place }: Pick<Reviewed, 'address' | 'place'>,
  { path, id }: { path: string; id: string },
): Html =>
  opener(
    'Comment on a line',
    `Comment on a line of ${path}`,
    html`<form method="get" action="${address}/files#line-form" id="${id}" class="at-line">
${hiddenFields({ path, ...place })}
${field({ name: 'line', id: `${id}-line`, label: 'Line', isOptional: true, hint: 'A number; old:12 for a line that is removed.', autocomplete: 'off' })}
<button class="small">Comment on it</button></form>`,
  )
