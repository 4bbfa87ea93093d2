import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { counted, type Html, html, withQuery } from '../html.ts'
import { inOrder, pageLinks } from '../layout.ts'
import type { Difference, DifferenceQuery, ShownFile } from './difference.ts'

/** Lines up to which a file is open. */
const maxOpen = 400

/** What a page shows about a file beside its lines. */
export interface FileNotes {
  /** What stands below lines, by `old:12` and `new:12`. */
  below: ReadonlyMap<string, Html>
  /** Links and forms above the lines. */
  tools?: Html | undefined
  /** What stands below all of them. */
  rest?: Html | undefined
  /** The id of the form that the button beside each line sends with the line as `at`; absent: there are no buttons. */
  form?: string | undefined
}

interface DiffView {
  /** The address of the page. */
  address: string
  query: DifferenceQuery
  /** The address of the files after the change: `…/src/commit/0123`. */
  source: string
  notesOf?: (file: ShownFile) => FileNotes
}

/** A page of the differences between commits, file by file, after a list of the files. */
export function diffSections(difference: Difference, { address, query, ...view }: DiffView): Html {
  const { files, page, limit, total, isCut } = difference
  const { whitespace, only } = query
  const known = { whitespace }
  const more = isCut ? ' or more' : ''
  const alone = (path: string) => withQuery(address, { ...known, only: path })
  return html`<div class="column"><div><h2>${counted(total, 'changed file')}${more} ${countsIn(difference)}</h2>
${spaceLinks(address, query)}
${only === '' ? undefined : html`<p class="meta"><a href="${withQuery(address, known)}">Show all files</a></p>`}
${files.length > 1 ? fileList(files) : undefined}</div>
${files.map((file) => fileSection(file, { ...view, alone: only === '' ? alone(file.path) : undefined }))}
${only === '' ? pageLinks({ page, limit, total }, address, known, inOrder) : undefined}
${isCut ? html`<p class="meta">There is more than this page shows: see it in a clone.</p>` : undefined}</div>`
}

const spaces: readonly (readonly [DifferenceQuery['whitespace'], string])[] = [
  ['', 'shown'],
  ['ignore-eol', 'not at ends of lines'],
  ['ignore-change', 'not its amount'],
  ['ignore-all', 'ignored'],
]

const spaceLinks = (address: string, { whitespace, only }: DifferenceQuery): Html =>
  html`<p class="meta">White space: ${spaces.map(
    ([value, text], at) =>
      html`${at === 0 ? undefined : ' · '}<a href="${withQuery(address, { whitespace: value, only })}"${value === whitespace ? html` aria-current="true"` : undefined}>${text}</a>`,
  )}</p>`

const countsIn = ({ additions, deletions }: Pick<ShownFile, 'additions' | 'deletions'>): Html =>
  html`<span class="diff-counts"><span class="added" title="${counted(additions, 'line')} added">+${additions}</span> <span class="removed" title="${counted(deletions, 'line')} removed">&minus;${deletions}</span></span>`

const fileList = (files: readonly ShownFile[]) => html`<details class="diff-files">
<summary>Files</summary>
<ul class="list">${files.map(
  (file) => html`
<li class="row"><span><a href="#file-${file.number}">${file.path}</a>${kindOf(file)}</span> ${countsIn(file)}</li>`,
)}
</ul>
</details>`

const kinds: Readonly<Record<ShownFile['status'], string | undefined>> = {
  added: 'new',
  removed: 'deleted',
  renamed: 'renamed',
  modified: undefined,
}

const kindOf = ({ status }: ShownFile): Html | undefined =>
  kinds[status] === undefined ? undefined : html` <span class="badge">${kinds[status]}</span>`

interface FileView extends Pick<DiffView, 'source' | 'notesOf'> {
  /** The address of a page with this file alone; undefined: this is it. */
  alone: string | undefined
}

/** Long ones are closed: the file after them is in reach. */
function fileSection(file: ShownFile, { source, notesOf, alone }: FileView): Html {
  const { path, previous, number, status, lines } = file
  const notes: FileNotes = notesOf?.(file) ?? { below: new Map() }
  const isOpen = alone === undefined || (lines?.length ?? 0) <= maxOpen
  const name = previous === undefined ? path : html`${previous} &rarr; ${path}`
  const whole =
    status === 'removed' ? undefined : html`<a href="${source}/${escapeSegments(path)}">Whole file</a>`
  return html`<details class="card diff-file" id="file-${number}"${isOpen ? html` open` : undefined}>
<summary><h3>${name}</h3>${kindOf(file)} ${countsIn(file)}</summary>
<div class="meta diff-tools">${whole} ${notes.tools}</div>
${contentOf(file, notes, alone)}
${notes.rest}
</details>`
}

function contentOf(file: ShownFile, notes: FileNotes, alone: string | undefined): Html {
  const { lines, isBinary, additions, deletions } = file
  if (isBinary || isBinaryIn(lines)) return html`<p class="empty">${whyNoLines(file)}</p>`
  if (lines === undefined) {
    const many = `${counted(additions + deletions, 'line')} differ${additions + deletions === 1 ? 's' : ''}`
    return alone === undefined
      ? html`<p class="empty">${many}: that is more than a page shows. See it in a clone.</p>`
      : html`<p class="empty">${many}. <a href="${alone}">Show this file alone</a></p>`
  }
  if (lines.length > 0) return linesOf(file, lines, notes)
  return html`<p class="empty">${whyEmpty(file)}</p>`
}

/** Whether git says that it compares no lines. */
const isBinaryIn = (lines: readonly string[] = []) =>
  lines.length === 1 && lines[0]?.startsWith('Binary files ')

const whyNoLines = ({ isBinary }: ShownFile) =>
  isBinary ? 'This file is no text.' : 'This file is too large to be compared here.'

function whyEmpty({ status, before, after, additions, deletions }: ShownFile): string {
  if (status === 'renamed' && before?.id === after?.id) return 'It was renamed, and nothing else.'
  if (before?.id === after?.id) return 'Only its mode has changed.'
  return additions + deletions === 0 && before && after ? 'Only white space differs.' : 'It is empty.'
}

const lineKinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'hunk' }

/** Width of a number. */
const width = 5

/**
 * Lines with their numbers in the old and the new file, which the style sheet shows: nobody copies them. Notes divide them
 * into blocks.
 */
function linesOf({ path }: ShownFile, lines: readonly string[], { below, form }: FileNotes): Html {
  const blocks: Html[] = []
  let rows: Html[] = []
  const endBlock = () => {
    const part = blocks.length === 0 ? '' : `, part ${blocks.length / 2 + 1}`
    if (rows.length > 0)
      blocks.push(
        html`<pre class="diff" tabindex="0" role="region" aria-label="Changes of ${path}${part}">${rows}</pre>`,
      )
    rows = []
  }
  for (const { text, kind, numbers, places } of numbered(lines)) {
    const place = places.at(-1)
    const button =
      form !== undefined && place !== undefined
        ? html`<button form="${form}" name="at" value="${place}" tabindex="-1">${place.slice(4)}</button>`
        : undefined
    rows.push(html`<span${kind && html` class="${kind}"`} data-n="${numbers}">${button}${text}\n</span>`)
    const notes = places.flatMap((each) => below.get(each) ?? [])
    if (notes.length === 0) continue
    endBlock()
    blocks.push(html`${notes}`)
  }
  endBlock()
  return html`${blocks}`
}

/** The places at which lines can have notes. */
export const placesIn = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(numbered(lines).flatMap(({ places }) => places))

interface Line {
  text: string
  kind: string | undefined
  /** Its numbers before and after the change. */
  numbers: string
  /** The same as the places of notes. */
  places: readonly string[]
}

function numbered(lines: readonly string[]): Line[] {
  const next = { old: 0, new: 0 }
  return lines.map((text) => {
    const sign = text.charAt(0)
    const [, before, after] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text) ?? []
    if (before !== undefined) Object.assign(next, { old: Number(before), new: Number(after) })
    const old = sign === '-' || sign === ' ' ? next.old++ : undefined
    const now = sign === '+' || sign === ' ' ? next.new++ : undefined
    const numbers = [old, now].map((number) => String(number ?? '').padStart(width)).join(' ')
    const places = [
      ...(old === undefined ? [] : [`old:${old}`]),
      ...(now === undefined ? [] : [`new:${now}`]),
    ]
    return { text, kind: lineKinds[sign], numbers, places }
  })
}
