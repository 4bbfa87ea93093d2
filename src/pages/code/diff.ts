import type { Diff, FileDiff } from '../../git/repository/diff.ts'
import { counted, type Html, html } from '../html.ts'

/** How many files and lines of differences a page shows, and up to how many lines of a file are open. */
const maximum = { files: 300, lines: 10_000, open: 400 }

/** Differences between commits, file by file, after a list of the files. */
export function diffSections({ files, isCut }: Diff): Html {
  let left = maximum.lines
  const shown: FileDiff[] = []
  for (const { path, lines } of files.slice(0, maximum.files)) {
    if (left <= 0) break
    shown.push({ path, lines: lines.slice(0, left) })
    left -= lines.length
  }
  const isWhole = !isCut && left >= 0 && shown.length === files.length
  const changes = shown.map(({ lines }) => countsOf(lines))
  const more = isCut ? ' or more' : ''
  return html`<div class="column"><div><h2>${counted(files.length, 'changed file')}${more} ${countsIn(changes)}</h2>
${shown.length > 1 ? fileList(shown, changes) : undefined}</div>
${shown.map((file, at) => fileSection(file, at, changes[at]))}
${isWhole ? undefined : html`<p class="meta">There is more than this page shows: see it in a clone.</p>`}</div>`
}

interface Counts {
  added: number
  removed: number
}

const countsOf = (lines: readonly string[]): Counts => ({
  added: lines.filter((line) => line.startsWith('+')).length,
  removed: lines.filter((line) => line.startsWith('-')).length,
})

function countsIn(changes: readonly Counts[]): Html {
  const added = changes.reduce((sum, each) => sum + each.added, 0)
  const removed = changes.reduce((sum, each) => sum + each.removed, 0)
  return html`<span class="diff-counts"><span class="added" title="${counted(added, 'line')} added">+${added}</span> <span class="removed" title="${counted(removed, 'line')} removed">&minus;${removed}</span></span>`
}

const fileList = (files: readonly FileDiff[], changes: readonly Counts[]) => html`<details class="diff-files">
<summary>Files</summary>
<ul class="list">${files.map(
  ({ path }, at) => html`
<li class="row"><a href="#file-${at + 1}">${path}</a> ${countsIn(changes.slice(at, at + 1))}</li>`,
)}
</ul>
</details>`

/** Long ones are closed: the file after them is in reach. */
function fileSection({ path, lines }: FileDiff, at: number, counts: Counts | undefined): Html {
  return html`<details class="card diff-file" id="file-${at + 1}"${lines.length > maximum.open ? undefined : html` open`}>
<summary><h3>${path}</h3> ${counts && countsIn([counts])}</summary>
${lines.length === 0 ? html`<p class="empty">Only its mode has changed, or it is empty.</p>` : isBinary(lines) ? html`<p class="empty">This file is no text.</p>` : html`<pre class="diff" tabindex="0" role="region" aria-label="Changes of ${path}">${numbered(lines)}</pre>`}
</details>`
}

/** Whether git says that it compares no lines. */
const isBinary = ([line = '', ...more]: readonly string[]) =>
  more.length === 0 && line.startsWith('Binary files ')

const kinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'hunk' }

/** Width of a number. */
const width = 5

/** Lines with their numbers in the old and the new file, which the style sheet shows: nobody copies them. */
function numbered(lines: readonly string[]): Html[] {
  const numbers = { old: 0, now: 0 }
  return lines.map((line) => {
    const sign = line.charAt(0)
    const [, old, now] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line) ?? []
    if (old !== undefined) Object.assign(numbers, { old: Number(old), now: Number(now) })
    const isInOld = sign === '-' || sign === ' '
    const isInNew = sign === '+' || sign === ' '
    const shown = [isInOld ? numbers.old++ : '', isInNew ? numbers.now++ : '']
    const text = shown.map((number) => String(number).padStart(width)).join(' ')
    const kind = kinds[sign]
    return html`<span${kind && html` class="${kind}"`} data-n="${text}">${line}\n</span>`
  })
}
