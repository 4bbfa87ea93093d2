import type { SignedIn } from '../../forge/auth/access.ts'
import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'
import type { Outcome, Texts } from './form-reply.ts'

const sections = {
  settings: 'Profile',
  'settings/password': 'Password',
  'settings/emails': 'E-mail addresses',
  'settings/tokens': 'Access tokens',
  'settings/keys': 'SSH keys',
  'settings/codes': 'One-time codes',
  'settings/sessions': 'Browser sessions',
} as const

/** The path of a section, without a slash at its start. */
type Section = keyof typeof sections

/** What a page of a section shows. */
interface Parts {
  host: string
  caller: SignedIn
  section: Section
  outcome: Outcome
  /** What it says when a form is done. */
  done: string
  main: Html
}

/** A page of one's settings: its sections on a side, and one of them. */
export function settingsPage({ host, caller, section, outcome, done, main }: Parts): string {
  const links = Object.entries(sections).map(
    ([path, name]) =>
      html`<li><a href="${host}${path}"${path === section ? html` aria-current="page"` : undefined}>${name}</a></li>`,
  )
  const body = html`<div class="settings">
<nav class="settings-nav" aria-label="Settings"><h2 class="settings-name">Settings</h2><ul>${links}</ul></nav>
<div class="settings-section">
<h1>${sections[section]}</h1>
${noticeOf(outcome, done)}
${main}
</div>
</div>`
  return page({ host, caller, title: `${sections[section]} · Settings`, main: body })
}

/** What became of a form; focus is on it, unless it is on a field with a fault. */
function noticeOf({ faults, isDone }: Outcome, done: string): Html | undefined {
  if (isDone) return html`<p class="notice" role="status" tabindex="-1" autofocus>${done}</p>`
  const whole = faults['']
  if (whole !== undefined)
    return html`<p class="notice bad" role="alert" tabindex="-1" autofocus>Nothing was changed. ${whole}</p>`
  if (Object.keys(faults).length === 0) return undefined
  return html`<p class="notice bad" role="alert">Nothing was changed. See the field that is marked.</p>`
}

/** The value, fault and focus of a field of the form that was sent; `initial` where none was. */
export function sentField({ values, faults }: Outcome, name: string, initial = '') {
  const isFirst = Object.keys(faults)[0] === name
  return { name, value: values[name] ?? initial, fault: faults[name], hasFocus: isFirst }
}

/** The outcome for one of several forms of a page: of another form than the one that was sent there is none. */
export const ofForm = (outcome: Outcome, action: string): Outcome =>
  outcome.values.action === action ? outcome : { values: {}, faults: {}, isDone: false }

/** A form with one button that acts on a row. */
export function rowForm(
  address: string,
  fields: Texts,
  { label, about }: { label: string; about: string },
): Html {
  return html`<form method="post" action="${address}">${hiddenFields(fields)}<button class="quiet small" aria-label="${label} ${about}">${label}</button></form>`
}

/** What a form carries beside what people write. */
export const hiddenFields = (fields: Texts): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

interface Choice {
  name: string
  label: string
  value: string
  hint?: string
  /** Value → what it says. */
  options: Texts
}

/** A field with a few values to choose from. */
export function choice({ name, label, value, hint, options }: Choice): Html {
  const entries = Object.entries(options).map(
    ([each, text]) =>
      html`<option value="${each}"${each === value ? html` selected` : undefined}>${text}</option>`,
  )
  return html`<div class="field"><label for="${name}">${label}</label>
${hint === undefined ? undefined : html`<p class="hint" id="${name}-hint">${hint}</p>`}
<select id="${name}" name="${name}"${hint === undefined ? undefined : html` aria-describedby="${name}-hint"`}>${entries}</select></div>`
}

/** A field to tick. */
export const tick = (name: string, label: string, isTicked: boolean): Html =>
  html`<label class="tick"><input type="checkbox" name="${name}"${isTicked ? html` checked` : undefined}> ${label}</label>`
