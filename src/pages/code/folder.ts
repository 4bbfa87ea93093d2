import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import type { Code, Place } from '../../forge/repos/code.ts'
import { isStoredPath } from '../../git/program/names.ts'
import type { FolderEntry } from '../../git/repository/folder.ts'
import { bytesOf, counted, type Html, html } from '../html.ts'
import { dayOfCommit, timeOfCommit } from './commit-time.ts'
import type { LastCommit, LastCommits } from './last-commits.ts'

/** How many entries of a folder its page shows. */
const maximum = 1000

/** What shows a path of the code, as its address names it. */
export type View = 'src' | 'raw' | 'commits' | 'blame' | 'find'

/** The address of a path in a view of the code. */
export function addressOf({ home }: Pick<Code, 'home'>, view: View, name: string, path = ''): string {
  const below = path === '' ? '' : `/${escapeSegments(path.toWellFormed())}`
  return `${home}/${view}/${escapeSegments(name)}${below}`
}

/** How many steps of a long path are links: each of them has the path up to it. */
const maxSteps = 40

/** The way from the root of the code, which has the name of the repository, to a path; each step but the last a link. */
export function stepsTo(code: Code, { name, path }: Place): Html {
  const segments = path === '' ? [] : path.split('/')
  const steps = segments.map((segment, at) => {
    if (at >= maxSteps / 2 && at < segments.length - maxSteps / 2) return html` / ${segment}`
    const address = addressOf(code, 'src', name, segments.slice(0, at + 1).join('/'))
    return at === segments.length - 1 ? html` / ${segment}` : html` / <a href="${address}">${segment}</a>`
  })
  return html`<h2><a href="${addressOf(code, 'src', name)}">${code.row.name}</a>${steps}</h2>`
}

/** Characters of a path from which on links to its entries are relative. */
const longPath = 200

const marks = { folder: '/', file: '', link: ' →', module: ' @' } as const

/** The entries of a folder as a table, below the commit that changed it last, each with its own, as far as they are known. */
export function folderTable(
  code: Code,
  { name, path }: Place,
  entries: readonly FolderEntry[],
  commits: LastCommits,
): Html {
  const inside = (entry: string) => (path === '' ? entry : `${path}/${entry}`)
  // Relative to the address of this page: a thousand entries do not repeat a long path a thousand times.
  const isLong = path.length > longPath
  const lastStep = escapeSegments(path.slice(path.lastIndexOf('/') + 1))
  const isReachable = ({ name }: FolderEntry) => isStoredPath(inside(name)) && !name.includes('\ufffd')
  const nameOf = (entry: FolderEntry) =>
    !isReachable(entry)
      ? html`${entry.name}`
      : html`<a href="${isLong ? `${lastStep}/${escapeSegments(entry.name)}` : addressOf(code, 'src', name, inside(entry.name))}">${entry.name}</a>`
  const { ofFolder, count, ofEntries } = commits
  const hasCommits = ofEntries.size > 0
  const history = html`<a href="${addressOf(code, 'commits', name, path)}">${count === undefined ? 'History' : counted(count, 'commit')}</a>`
  return html`${ofFolder && lastCommitLine(code, ofFolder, history)}
<table class="table folder">
<caption${entries.length === 0 ? undefined : html` class="hidden-words"`}>${entries.length === 0 ? 'This folder is empty.' : 'Files'}</caption>
<tbody>${entries.slice(0, maximum).map(
    (entry) => html`
<tr><td>${nameOf(entry)}${marks[entry.kind]}</td>${hasCommits ? cellsOf(code, ofEntries.get(entry.name)) : undefined}<td class="number">${entry.size === undefined ? undefined : bytesOf(entry.size)}</td></tr>`,
  )}
</tbody></table>
${entries.length > maximum ? html`<p class="meta">and ${entries.length - maximum} more, in a clone</p>` : undefined}`
}

/** Who changed a folder last, how and when, and the way to all its commits. */
const lastCommitLine = ({ home }: Code, { id, subject, author, at }: LastCommit, history: Html): Html => {
  const address = `${home}/commit/${id}`
  return html`<div class="last-commit"><strong dir="auto">${author}</strong> <a class="what" href="${address}">${subject || id.slice(0, 10)}</a>
<span class="meta"><a href="${address}"><code>${id.slice(0, 10)}</code></a> ${timeOfCommit(at)} · ${history}</span></div>`
}

/** Cells with subject and day of a commit; empty ones if it is not known. */
const cellsOf = ({ home }: Code, commit: LastCommit | undefined): Html => {
  if (!commit) return html`<td class="what"></td><td></td>`
  const { id, subject, at } = commit
  return html`<td class="what"><a href="${home}/commit/${id}">${subject || id.slice(0, 10)}</a></td><td>${dayOfCommit(at)}</td>`
}
