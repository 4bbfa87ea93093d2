import { type Html, html } from './html.ts'

/** A field of a form, and the fault of its value. */
interface Field {
  name: string
  /** Where another form of the page has a field of this name; absent: the name. */
  id?: string
  label: string
  value?: string | undefined
  fault?: string | undefined
  hint?: string
  type?: 'text' | 'password' | 'url' | 'email' | 'number' | 'date' | 'datetime-local'
  autocomplete?: string
  isLong?: boolean
  /** Lines of a long one that are seen at once. */
  rows?: number
  isOptional?: boolean
  /** Whether the page opens with the cursor in it. */
  hasFocus?: boolean
}

/** A labelled field; its fault is shown next to it and announced with it. */
export function field({
  name,
  id = name,
  label,
  value = '',
  fault,
  hint,
  type = 'text',
  ...more
}: Field): Html {
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  const attributes = html`id="${id}" name="${name}"${more.isOptional ? undefined : html` required`}${
    described === '' ? undefined : html` aria-describedby="${described}"`
  }${fault === undefined ? undefined : html` aria-invalid="true"`}${
    more.autocomplete === undefined ? undefined : html` autocomplete="${more.autocomplete}"`
  }${more.hasFocus ? html` autofocus` : undefined}`
  return html`<div class="field">
<label for="${id}">${label}</label>
${hint === undefined ? undefined : html`<p class="hint" id="${id}-hint">${hint}</p>`}
${
  more.isLong
    ? html`<textarea ${attributes}${more.rows === undefined ? undefined : html` rows="${more.rows}"`}>
${value}</textarea>`
    : html`<input type="${type}" value="${value}" ${attributes}>`
}
${fault === undefined ? undefined : html`<p class="fault" id="${id}-fault">${fault}</p>`}
</div>`
}
