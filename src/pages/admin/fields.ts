import { type Html, html, type Piece } from '../html.ts'

interface Choice {
  name: string
  label: string
  value: string
  /** The values and their words. */
  options: Readonly<Record<string, string>>
}

/** A labelled choice of one value. */
export const choice = ({ name, label, value, options }: Choice): Html => html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}">${Object.entries(options).map(
  ([each, words]) =>
    html`<option value="${each}"${each === value ? html` selected` : undefined}>${words}</option>`,
)}</select>
</div>`

interface Tick {
  name: string
  label: string
  isOn: boolean
  fault?: string | undefined
  hint?: string | undefined
}

/** A labelled box to tick. A form has the name with the value `on` if it is ticked, else not. */
export function tick({ name, label, isOn, fault, hint }: Tick): Html {
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ')
  return html`<div class="admin-tick">
<input class="admin-box" type="checkbox" id="${name}" name="${name}"${isOn ? html` checked` : undefined}${
    described === '' ? undefined : html` aria-describedby="${described}"`
  }${fault === undefined ? undefined : html` aria-invalid="true" autofocus`}>
<label for="${name}">${label}</label>
${hint === undefined ? undefined : html`<p class="hint" id="${name}-hint">${hint}</p>`}
${fault === undefined ? undefined : html`<p class="fault" id="${name}-fault">${fault}</p>`}
</div>`
}

/** A form above a list that selects rows of it. */
export const filterForm = (
  address: string,
  fields: Piece,
): Html => html`<form class="card admin-filter" method="get" action="${address}" role="search">
${fields}
<button>Show</button>
</form>`

/** A form of one button. */
export const buttonForm = (
  address: string,
  words: string,
  label: string,
  hidden: Readonly<Record<string, string>> = {},
): Html =>
  html`<form class="inline" method="post" action="${address}">${Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="quiet small" aria-label="${label}">${words}</button></form>`
