import type { SignedInOnSubject } from '../../forge/auth/access.ts'
import { type Html, html } from '../html.ts'
import { besideSections, page } from '../layout.ts'
import type { OnRequest } from '../operations/perform.ts'
import { organizationHeading } from './heading.ts'

/** The sections of the settings of an organization, by their paths below them. */
const sections = {
  '': 'General',
  picture: 'Picture',
  labels: 'Labels',
  hooks: 'Webhooks',
  'actions/secrets': 'Secrets',
  'actions/variables': 'Variables',
  'actions/runners': 'Runners',
} as const

interface SectionParts {
  /** The path of the section below the settings. */
  section: string
  title: string
  main: Html
}

/** A page of the settings of an organization, beside links to their sections. */
export function organizationSection(
  caller: SignedInOnSubject & OnRequest,
  { section, title, main }: SectionParts,
): string {
  const { host } = caller.request.from
  const { subject } = caller
  const home = `${host}org/${subject.name}/settings`
  const addressOf = (path: string) => (path === '' ? home : `${home}/${path}`)
  const links = Object.entries(sections).map(([path, name]) => [addressOf(path), name] as const)
  const [list = ''] = Object.keys(sections).filter((path) => path !== '' && section.startsWith(path))
  const content = html`<h2>${title}</h2>
${main}`
  const whole = html`${organizationHeading(host, caller, 'settings')}
${besideSections(links, addressOf(list), content)}`
  return page({ host, caller, title: `${title} · ${subject.name}`, main: whole })
}
