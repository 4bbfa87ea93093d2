import type { Diff, FileDiff } from '../../git/repository/diff.ts'
import { counted, type Html, html } from '../html.ts'

/** How many files and lines of differences a page shows. */
const most = { files: 300, lines: 10_000 }

/** Differences between commits, file by file. */
export function diffSections({ files, isCut }: Diff): Html {
  let left = most.lines
  const shown: FileDiff[] = []
  for (const { path, lines } of files.slice(0, most.files)) {
    if (left <= 0) break
    shown.push({ path, lines: lines.slice(0, left) })
    left -= lines.length
  }
  const isWhole = !isCut && left >= 0 && shown.length === files.length
  return html`<div class="column"><h2>${counted(files.length, 'changed file')}${isCut ? ' or more' : ''}</h2>
${shown.map(fileSection)}
${isWhole ? undefined : html`<p class="meta">There is more than this page shows: see it in a clone.</p>`}</div>`
}

function fileSection({ path, lines }: FileDiff): Html {
  return html`<section class="card" aria-label="${path}">
<h3>${path}</h3>
${lines.length === 0 ? html`<p class="empty">Only its mode has changed, or it is empty.</p>` : html`<pre class="diff" tabindex="0" role="region" aria-label="Changes of ${path}">${lines.map(lineOf)}</pre>`}
</section>`
}

const kinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'hunk' }

function lineOf(line: string): Html {
  const kind = kinds[line.charAt(0)]
  return kind === undefined ? html`${line}\n` : html`<span class="${kind}">${line}\n</span>`
}
