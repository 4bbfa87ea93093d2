import { LEVELS } from '../../forge/permissions/access-level-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { type Html, html } from '../html.ts'
import { besideSections } from '../layout.ts'
import type { OnRequest } from '../operations/perform.ts'
import { repositoryPage } from './repository-page.ts'

/** The sections of the settings of a repository, by their paths below them. */
const sections = {
  '': 'General',
  picture: 'Picture',
  collaboration: 'Collaborators',
  teams: 'Teams',
  branches: 'Protected branches',
  tags: 'Protected tags',
  keys: 'Deploy keys',
  hooks: 'Webhooks',
} as const

/** Those of its owners, and of the owners of its organization. */
const ownersOnly = {
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

/** A page of the settings of a repository, beside links to their sections. */
export function repositorySection(
  caller: OnRepository & Pick<OnRequest, 'request'>,
  { section, title, main }: SectionParts,
): Promise<string> {
  const { from, sql } = caller.request
  const { repo } = caller
  const home = `${from.host}${repo.owner.name}/${repo.name}/settings`
  const shown = repo.level >= LEVELS.owner ? { ...sections, ...ownersOnly } : sections
  const addressOf = (path: string) => (path === '' ? home : `${home}/${path}`)
  // Only organizations have teams.
  const isShown = (path: string) => path !== 'teams' || caller.subject.kind === 'organization'
  const links = Object.entries(shown)
    .filter(([path]) => isShown(path))
    .map(([path, name]) => [addressOf(path), name] as const)
  const content = html`<h2>${title}</h2>
${main}`
  // A page of one row belongs to the section of its list.
  const [list = ''] = Object.keys(shown).filter((path) => path !== '' && section.startsWith(path))
  return repositoryPage({
    host: from.host,
    sql,
    caller,
    current: 'settings',
    title: `${title} · Settings`,
    main: besideSections(links, addressOf(list), content),
  })
}
