import type { Repo } from '../forge/auth/repository.ts'
import { type Html, html, type Piece } from './html.ts'

/** The pages of a repository that its navigation leads to, each with the unit that may be turned off. */
const tabs = [
  ['', 'Code', undefined],
  ['issues', 'Issues', 'has_issues'],
  ['actions', 'Actions', 'has_actions'],
  ['branches', 'Branches', 'has_code'],
  ['tags', 'Tags', 'has_code'],
] as const

/** A tab by its path. */
type Tab = (typeof tabs)[number][0]

interface Title {
  host: string
  repo: Pick<Repo, 'owner' | 'name' | 'has_code' | 'has_issues' | 'has_actions'>
  badges?: readonly string[]
  current?: Tab
}

/** The heading of a page about a repository, with links to its owner, to itself and to what it has. */
export function repositoryTitle({ host, repo, badges = [], current }: Title): Html {
  const { name } = repo
  const owner = repo.owner.name
  const home = `${host}${owner}/${name}`
  const entry = ([path, text]: (typeof tabs)[number]): Piece =>
    html`<li><a href="${home}${path && `/${path}`}"${path === current ? html` aria-current="page"` : undefined}>${text}</a></li>`
  return html`<div class="title"><h1><a href="${host}${owner}">${owner}</a> / <a href="${home}">${name}</a>
${badges.map((word) => html` <span class="badge">${word}</span>`)}</h1>
<nav aria-label="Repository"><ul>${tabs.filter(([, , unit]) => unit === undefined || repo[unit]).map(entry)}</ul></nav></div>`
}
