import type { Sql } from '../../db/sql.ts'
import { permits } from '../../forge/auth/scopes.ts'
import { LEVELS, readableUnits } from '../../forge/permissions/access-level-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { type Html, html, type Piece } from '../html.ts'
import { type FeedLink, page } from '../layout.ts'

/** The pages of a repository that its navigation leads to, each with the units that it shows. */
const tabs = [
  ['', 'Code', ['code']],
  ['issues', 'Issues', ['issues']],
  ['pulls', 'Pull requests', ['code', 'pulls']],
  ['actions', 'Actions', ['actions']],
  ['branches', 'Branches', ['code']],
  ['tags', 'Tags', ['code']],
  ['releases', 'Releases', ['releases']],
] as const

/** The settings that turn units on and off. */
const switches = {
  code: 'has_code',
  issues: 'has_issues',
  pulls: 'has_pull_requests',
  actions: 'has_actions',
  releases: 'has_releases',
} as const
type Tab = (typeof tabs)[number]

/** The page of those who administer the repository. */
const settingsTab = 'settings'

interface RepositoryPage {
  host: string
  sql: Sql
  caller: OnRepository
  /** What of the repository it is about; absent: the repository itself. */
  title?: string
  main: Html
  current?: Tab[0] | typeof settingsTab
  /** The address of its picture; "" if it has none. */
  picture?: string
  badges?: readonly string[]
  script?: 'code' | 'conversation' | 'run'
  /** Absent: that of the repository. */
  feed?: FeedLink
}

/** Whether the caller of a page has been admitted to a repository; those of other pages may have the member without one. */
export const isOnRepository = (caller: unknown): caller is OnRepository =>
  typeof caller === 'object' && caller !== null && 'me' in caller && 'repo' in caller && Boolean(caller.repo)

/**
 * A page about a repository, below a heading with links to its owner, to itself and to what the caller may see of it.
 */
export async function repositoryPage(parts: RepositoryPage): Promise<string> {
  const { host, caller, title, script } = parts
  const { owner, name } = caller.repo
  const path = `${owner.name}/${name}`
  const main = html`${await headingOf(parts)}
${parts.main}`
  const { feed = { title: path, addressOf: (format) => `${host}${path}.${format}` } } = parts
  return page({ host, caller, title: title === undefined ? path : `${title} · ${path}`, main, script, feed })
}

async function headingOf({ host, sql, caller, current, ...more }: RepositoryPage): Promise<Html> {
  const { picture = '', badges = [] } = more
  const { name, owner } = caller.repo
  const home = `${host}${owner.name}/${name}`
  const shown = await shownTabs(sql, caller)
  const entry = ([path, text]: readonly [path: string, text: string, ...unknown[]]): Piece =>
    html`<li><a href="${home}${path && `/${path}`}"${path === current ? html` aria-current="page"` : undefined}>${text}</a></li>`
  return html`<div class="title"><h1>${picture === '' ? undefined : html`<img class="title-picture" src="${picture}" alt=""> `}<a href="${host}${owner.name}">${owner.name}</a> / <a href="${home}">${name}</a>
${badges.map((word) => html` <span class="badge">${word}</span>`)}</h1>
<nav aria-label="Repository"><ul>${shown.map(entry)}${maySet(caller) ? entry([settingsTab, 'Settings']) : undefined}</ul></nav></div>`
}

const maySet = ({ me, token, repo }: OnRepository) =>
  me !== undefined && repo.level >= LEVELS.admin && (!token || permits(token.scopes, ['repository'], 'write'))

/** The units that the caller reads; undefined: all. Who may read the whole of a repository needs no statement. */
async function unitsOf(sql: Sql, { repo, me }: OnRepository) {
  const isOpen = !repo.is_private && repo.owner.visibility === 'public'
  return !me || me.is_admin || isOpen
    ? undefined
    : readableUnits(sql, { repository: repo.id, account: me.id })
}

/** Whether the repository has code that the caller may read. */
export const readsCode = async (sql: Sql, caller: OnRepository): Promise<boolean> =>
  caller.repo.has_code && ((await unitsOf(sql, caller))?.code ?? true)

/** The paths of the pages of a repository that its navigation leads the caller to. */
export const shownParts = async (sql: Sql, caller: OnRepository): Promise<ReadonlySet<string>> =>
  new Set((await shownTabs(sql, caller)).map(([path]) => path))

async function shownTabs(sql: Sql, caller: OnRepository): Promise<readonly Tab[]> {
  const { repo, token } = caller
  const readable = await unitsOf(sql, caller)
  return tabs.filter(([path, , units]) => {
    const isPermitted = !token || permits(token.scopes, [path === 'issues' ? 'issue' : 'repository'], 'read')
    const isThere = units.every((unit) => (path === '' || repo[switches[unit]]) && (readable?.[unit] ?? true))
    return isPermitted && isThere
  })
}

/** The badges beside the name of a repository. */
export const badgesOf = ({
  is_private,
  is_archived,
  is_template,
}: Record<'is_private' | 'is_archived' | 'is_template', boolean>) =>
  [is_private && 'private', is_archived && 'archived', is_template && 'template'].filter(
    (word) => word !== false,
  )
