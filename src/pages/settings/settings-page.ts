import type { Page } from '../../db/page.ts'
import { type Html, html, noneOf } from '../html.ts'
import { besideSections, card, inOrder, listOf, page, pageLinks } from '../layout.ts'
import type { Visitor } from '../session/viewer.ts'
import type { FormState, SettingsContext } from './form-reply.ts'

const sections = {
  settings: 'Profile',
  'settings/picture': 'Picture',
  'settings/password': 'Password',
  'settings/emails': 'E-mail addresses',
  'settings/tokens': 'Access tokens',
  'settings/keys': 'SSH keys',
  'settings/gpg_keys': 'OpenPGP keys',
  'settings/codes': 'One-time codes',
  'settings/sessions': 'Browser sessions',
  'settings/hooks': 'Webhooks',
  'settings/actions/secrets': 'Secrets',
  'settings/actions/variables': 'Variables',
  'settings/actions/runners': 'Runners',
} as const

/** The path of a section, without a slash at its start. */
type Section = keyof typeof sections

export const isSection = (path: string): path is Section => Object.hasOwn(sections, path)

/** What a page of a section shows. */
interface Parts {
  section: Section
  state: FormState
  /** What it says when a form is done. */
  done: string
  main: Html
}

/** A page of one's settings: its sections on a side, and one of them. */
export const settingsPage = (context: SettingsContext, { section, state, done, main }: Parts): string =>
  settingsFrame(
    context,
    section,
    html`${noticeOf(state, done)}
${main}`,
  )

/** The same, of a section whose content is complete. */
export function settingsFrame(
  { caller, from: { host } }: { caller: Visitor; from: { host: string } },
  section: Section,
  main: Html,
): string {
  const links = Object.entries(sections).map(([path, name]) => [host + path, name] as const)
  const body = besideSections(
    links,
    host + section,
    html`<h1>${sections[section]}</h1>
${main}`,
  )
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
  noun: readonly [one: string, many?: string]
  /** What it says without rows; absent: that there are none yet. */
  empty?: string
}

/** A section with a list and links to its other pages. */
export const listSection = <Row>({ title, list, address, entryOf, noun, empty }: List<Row>): Html =>
  card(
    'list',
    title,
  )`${listOf(list.rows.map(entryOf), list.page > 1 ? noneOf(noun, list) : (empty ?? noneOf(noun)))}
${pageLinks(list, address, {}, inOrder)}`
