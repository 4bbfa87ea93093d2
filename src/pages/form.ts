import { badRequest, type Problem } from '../http/route/problem.ts'
import { type Html, html, type Piece } from './html.ts'

/** A form as it was sent. */
export type Fields = Readonly<Record<string, string>>

/** The faults of a form: a sentence for each field. */
export type Faults = Readonly<Record<string, string>>

/** A field of a form, and the fault of its value. */
interface Field {
  name: string
  /** Where another form of the page has a field of this name; absent: the name. */
  id?: string
  label: string
  value?: string | undefined
  fault?: string | undefined
  hint?: string
  type?: 'text' | 'password' | 'url' | 'email' | 'number' | 'date' | 'datetime-local' | 'color'
  autocomplete?: string
  isLong?: boolean
  /** Lines of a long one that are seen at once. */
  rows?: number
  isOptional?: boolean
  /** The address of completions, for the script of forms (`assets/completion.js`). */
  completions?: string
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
  const attributes = html`id="${id}" name="${name}"${more.isOptional ? undefined : html` required`}${notesOf(id, hint, fault)}${
    more.autocomplete === undefined ? undefined : html` autocomplete="${more.autocomplete}"`
  }${more.completions === undefined ? undefined : html` data-completions="${more.completions}"`}${more.hasFocus ? html` autofocus` : undefined}`
  return html`<div class="field">
<label for="${id}">${label}</label>
${hintOf(id, hint)}
${
  more.isLong
    ? html`<textarea ${attributes}${more.rows === undefined ? undefined : html` rows="${more.rows}"`}>
${value}</textarea>`
    : html`<input type="${type}" value="${value}" ${attributes}>`
}
${faultOf(id, fault)}
</div>`
}

/** Attributes of a field that name its hint and its fault. */
function notesOf(id: string, hint: string | undefined, fault: string | undefined): Html {
  const notes = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return html`${notes === '' ? undefined : html` aria-describedby="${notes}"`}${fault === undefined ? undefined : html` aria-invalid="true"`}`
}

const hintOf = (id: string, hint: string | undefined) =>
  hint === undefined ? undefined : html`<p class="hint" id="${id}-hint">${hint}</p>`

const faultOf = (id: string, fault: string | undefined) =>
  fault === undefined ? undefined : html`<p class="fault" id="${id}-fault">${fault}</p>`

interface Choice {
  name: string
  /** As of a field. */
  id?: string
  label: string
  value: string
  fault?: string | undefined
  hint?: string | undefined
  /** The values, each with its text. */
  options: Readonly<Record<string, string>> | readonly (readonly [value: string, text: string])[]
}

const isList = (options: Choice['options']): options is Extract<Choice['options'], readonly unknown[]> =>
  Array.isArray(options)

/** A labelled choice of one value. */
export const choice = ({
  name,
  id = name,
  label,
  value,
  fault,
  hint,
  options,
}: Choice): Html => html`<div class="field">
<label for="${id}">${label}</label>
${hintOf(id, hint)}
<select id="${id}" name="${name}"${notesOf(id, hint, fault)}${fault === undefined ? undefined : html` autofocus`}>${(
  isList(options) ? options : Object.entries(options)
).map(
  ([each, text]) =>
    html`<option value="${each}"${each === value ? html` selected` : undefined}>${text}</option>`,
)}</select>
${faultOf(id, fault)}
</div>`

interface Tick {
  name: string
  /** As of a field. */
  id?: string
  label: Piece
  isOn: boolean
  fault?: string | undefined
  hint?: string | undefined
}

/** A labelled box to tick. A form has the name with the value `on` if it is ticked, else not. */
export const tick = ({ name, id = name, label, isOn, fault, hint }: Tick): Html => html`<div class="tick">
<input class="tick-box" type="checkbox" id="${id}" name="${name}"${isOn ? html` checked` : undefined}${notesOf(id, hint, fault)}${fault === undefined ? undefined : html` autofocus`}>
<label for="${id}">${label}</label>
${hintOf(id, hint)}
${faultOf(id, fault)}
</div>`

type Hidden = Readonly<Record<string, string | number | undefined>>

/** What a form sends beside what people write into it; undefined is not sent. */
export const hiddenFields = (fields: Hidden): Html =>
  html`${Object.entries(fields).map(([name, value]) =>
    value === undefined ? undefined : html`<input type="hidden" name="${name}" value="${value}">`,
  )}`

/** A form of one button; `label`: its name where the text alone does not say what it is about. */
export const buttonForm = (address: string, text: string, label = text, fields: Hidden = {}): Html =>
  html`<form class="inline" method="post" action="${address}">${hiddenFields(fields)}<button class="quiet small"${label === text ? undefined : html` aria-label="${label}"`}>${text}</button></form>`

/** The beginning of a form with its hidden fields. */
export const opened = (address: string, fields: Hidden = {}): Html =>
  html`<form method="post" action="${address}">
${hiddenFields(fields)}`

/** A button, `name`, that opens more of the page, without script; `isOpen`: that is seen at once. */
export const opener = (name: string, label: string, content: Piece, isOpen = false): Html => html`
<details class="ask"${isOpen ? html` open` : undefined}><summary aria-label="${label}">${name}</summary>
<div class="ask-box">${content}</div></details>`

/**
 * A button, `name`, that opens a question, without script: forms that end something for good ask first. `form` is the
 * beginning of the form, and `answer` its button.
 */
export const ask = (name: string, label: string, question: string, form: Html, answer: string): Html =>
  opener(
    name,
    label,
    html`<p>${question}</p>
${form}<button class="small">${answer}</button></form>`,
  )

interface Asked {
  address: string
  /** The text of the button that opens the question, and its name. */
  text: string
  label?: string
  question: string
  answer: string
  fields?: Hidden
}

/** `buttonForm` with a question before it. */
export const askedForm = ({ address, text, label = text, question, answer, fields = {} }: Asked): Html =>
  ask(text, label, question, opened(address, fields), answer)

/** What the names of broken rules, and some messages of the API, mean. */
export const ruleSentences: Readonly<Record<string, string>> = {
  Required: 'This must not be empty.',
  MaxSize: 'This is too long.',
  'data too long': 'This is too long.',
  Url: 'This must be an address that begins with http:// or https://.',
  Email: 'This is no e-mail address.',
  In: 'Choose one of the values.',
  GlobPattern: 'This is no pattern of branches.',
  AlphaDashDot: 'Use letters, digits, - _ and . only.',
  GitRefName: 'Git takes no such name.',
  'Invalid url': 'This must be an address that begins with http:// or https://.',
  HeaderValue: 'This may hold printable characters of Latin-1 only.',
  'invalid username': 'Use letters and digits, with single - _ . between them.',
  'invalid variable or secret name':
    'Use letters, digits and _, no digit first; CI and names that begin with GITEA_ or GITHUB_ are reserved.',
  'invalid slug': 'Use letters and digits, with single - _ . between them.',
}

/** The answer to a form whose action the page does not have. */
export const unknownAction = (): Problem => badRequest('the form has an unknown action')

/** The pictures that the server takes, as a field for files has them. */
export const pictureTypes = 'image/png,image/jpeg,image/gif,image/webp'

interface FilesField {
  label: string
  hint: string
  fault: string | undefined
  /** The media types or extensions that a browser offers; absent: all. */
  accept?: string
  /** It must be filled in. */
  isRequired?: boolean
  /** It takes one file. */
  isOne?: boolean
}

/**
 * The field `files`, whose form is sent as `multipart/form-data`. Where it takes several, files that are dropped on a text of
 * its form or pasted into it come into it, too (`assets/files.js`).
 */
export const filesField = ({ label, hint, fault, accept, isRequired, isOne }: FilesField): Html => html`
<div class="field"><label for="files">${label}</label>
<p class="hint" id="files-hint">${hint}</p>
<input type="file" id="files" name="files"${isOne ? undefined : html` multiple`}${isRequired ? html` required` : undefined}${accept === undefined ? undefined : html` accept="${accept}"`} aria-describedby="files-hint${fault === undefined ? '' : ' files-fault'}"${fault === undefined ? undefined : html` aria-invalid="true" autofocus`}>
${fault === undefined ? undefined : html`<p class="fault" id="files-fault">${fault}</p>`}</div>`
