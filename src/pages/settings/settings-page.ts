import type { Page } from '../../db/page.ts'
import { type Html, html } from '../html.ts'
import { card, inOrder, listOf, page, pageLinks } from '../layout.ts'
import type { FormState, SettingsContext } from './form-reply.ts'

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
  section: Section
  state: FormState
  /** What it says when a form is done. */
  done: string
  main: Html
}

/** A page of one's settings: its sections on a side, and one of them. */
export function settingsPage(
  { caller, from: { host } }: SettingsContext,
  { section, state, done, main }: Parts,
): string {
  const links = Object.entries(sections).map(
    ([path, name]) =>
      html`<li><a href="${host}${path}"${path === section ? html` aria-current="page"` : undefined}>${name}</a></li>`,
  )
  const body = html`<div class="settings">
<nav class="settings-nav" aria-label="Settings"><h2 class="settings-name">Settings</h2><ul>${links}</ul></nav>
<div class="settings-section">
<h1>${sections[section]}</h1>
${noticeOf(state, done)}
${main}
</div>
</div>`
  return page({ host, caller, title: `${sections[section]} · Settings`, main: body })
}

/** What became of a form; focus is on it, unless it is on a field with a fault. */
function noticeOf({ faults, isDone }: FormState, done: string): Html | undefined {
  if (isDone) return html`<p class="notice" role="status" tabindex="-1" autofocus>${done}</p>`
  const whole = faults['']
  if (whole !== undefined)
    return html`<p class="notice bad" role="alert" tabindex="-1" autofocus>Nothing was changed. ${whole}</p>`
  if (Object.keys(faults).length === 0) return undefined
  return html`<p class="notice bad" role="alert">Nothing was changed. See the field that is marked.</p>`
}

interface List<Row> {
  title: string
  list: Page<Row>
  address: string
  entryOf: (row: Row) => Html
  empty?: string
}

/** A section with a list and links to its other pages. */
export const listSection = <Row>({ title, list, address, entryOf, empty = 'None yet.' }: List<Row>): Html =>
  card('list', title)`${listOf(list.rows.map(entryOf), empty)}
${pageLinks(list, address, {}, inOrder)}`
