import { queryChoice, queryText } from '../../forge/protocol/query.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { type Code, gitValue, openCode, type Place, placeIn } from '../../forge/repos/code.ts'
import {
  type FoundFile,
  type FoundLine,
  isSearchable,
  searchText,
} from '../../git/repository/lines/text-search.ts'
import { objectAt } from '../../git/repository/revisions.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { hiddenFields, tick } from '../form.ts'
import { counted, type Html, html } from '../html.ts'
import { inOrder, pageLinks } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { shellWord } from '../program-lines.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { inClone, searchAddress } from './code-tools.ts'
import { addressOf, stepsTo } from './folder.ts'

/** Files on a page, lines of a file, and characters of a line. */
const maximum = { files: 20, lines: 30, line: 250 }

/** A search as its address says it. */
interface Search {
  q: string
  isExact: boolean
  page: number
}

export const searchCodePage = route('GET /{owner}/{repo}/search', {
  summary: 'The files of the default branch, or of another place of the code, in which a text is, as a page',
  access: codeSeen(),
  query: { q: queryText, place: queryText, case: queryChoice('on'), page: pageQuery().page },
  ...pageReply,
  handler: async ({ query, ...context }) => {
    const { host } = context.from
    const code = await openCode(context)
    const { q, page } = query
    const search = { q, isExact: query.case === 'on', page }
    const isEmpty = code.row.is_empty && query.place === ''
    const place = isEmpty ? undefined : await placeOf(code, query.place)
    const main = html`<div class="title"><div class="place">${place ? stepsTo(code, place) : html`<h2>${code.row.name}</h2>`}</div>
<p class="meta">${place ? html`Search in ${place.name.replace('/', ' ')}` : 'Search'}</p></div>
${formOf(code, place, search)}
${place ? await resultsOf(code, place, search) : html`<p class="empty">Nothing has been pushed yet.</p>`}`
    const title = q === '' ? 'Search in the code' : `${q.slice(0, 50)} · Search`
    return repositoryPage({ ...context, host, current: '', title, main })
  },
})

/** The place that a search names, `branch/main/docs`; "": the default branch. @throws Problem 404 */
async function placeOf(code: Code, named: string): Promise<Place> {
  const [kind = '', ...rest] = (named || `branch/${code.row.default_branch}`).split('/')
  const place = await placeIn(code, kind, rest.join('/'))
  found(gitValue(await objectAt(code, place.commit, place.path)))
  return place
}

const formOf = (
  code: Code,
  place: Place | undefined,
  { q, isExact }: Search,
): Html => html`<form class="search" role="search" aria-label="The text of the files" action="${code.home}/search">
<label for="q">A text as it stands in one line</label>
<div class="search-row"><input class="search-field" type="search" id="q" name="q" value="${q}" required> <button>Search</button></div>
${tick({ name: 'case', label: 'Capital letters count', isOn: isExact })}
${hiddenFields({ place: place && (place.path === '' ? place.name : `${place.name}/${place.path}`) })}
</form>`

/** @throws Problem 404, 503 */
async function resultsOf(code: Code, place: Place, search: Search): Promise<Html | undefined> {
  const { q, isExact, page } = search
  if (q === '') return undefined
  if (!isSearchable(q)) return html`<p class="empty">This text is too long, or has more than one line.</p>`
  const read = await searchText(code, place, { text: q, isExact })
  if (!read.ok && ['late', 'heavy'].includes(read.fault.kind))
    return inClone(
      'Reading all of these files takes longer than a page may take.',
      `git grep -n ${isExact ? '' : '-i '}-F -e ${shellWord(q)} ${place.commit.slice(0, 10)}`,
    )
  const { files, isCut } = gitValue(read)
  const shown = files.slice((page - 1) * maximum.files, page * maximum.files)
  const more = isCut
    ? html`<p class="meta">There are more than this page reads: search for a longer text, or below a folder.</p>`
    : undefined
  const address = searchAddress(code, place, { q, case: isExact ? 'on' : '' })
  const [path = '', query = ''] = address.split('?')
  return html`<h2 class="results">${files.length === 0 ? 'No file has this text' : `${isCut ? 'More than ' : ''}${counted(files.length, 'file')}`}</h2>
${shown.map((file) => sectionOf(code, place, file, search))}
${more}
${pageLinks({ page, limit: maximum.files, total: files.length }, path, Object.fromEntries(new URLSearchParams(query)), inOrder)}`
}

/** A file with the lines that were found, and those beside them. */
function sectionOf(code: Code, { name }: Place, { path, parts }: FoundFile, search: Search): Html {
  const address = addressOf(code, 'src', name, path)
  const lines = parts.flatMap((part, at) => (at === 0 ? part : [undefined, ...part]))
  return html`<section class="card" aria-label="${path}">
<h3><a href="${address}">${path}</a></h3>
<pre class="source" tabindex="0" role="region" aria-label="Lines of ${path}"><code class="chroma">${lines
    .slice(0, maximum.lines)
    .map((line) =>
      line
        ? lineOf(address, line, search)
        : html`<span class="quiet-text">&#8942;
</span>`,
    )}</code></pre>
${lines.length > maximum.lines ? html`<p class="meta"><a href="${address}">More in this file</a></p>` : undefined}
</section>`
}

const lineOf = (address: string, { number, text, isFound }: FoundLine, search: Search): Html =>
  html`<span><a href="${address}?plain=1#L${number}" aria-label="Line ${number}">${number}</a>${isFound ? markedIn(text, search) : text.slice(0, maximum.line)}
</span>`

/** The part of a line around the text, which is marked. */
function markedIn(line: string, { q, isExact }: Search): Html {
  const at = isExact ? line.indexOf(q) : line.toLowerCase().indexOf(q.toLowerCase())
  if (at < 0) return html`${line.slice(0, maximum.line)}`
  const start = at + q.length > maximum.line ? at - maximum.line / 5 : 0
  const end = at + q.length
  return html`${start > 0 ? '…' : ''}${line.slice(Math.max(start, 0), at)}<mark>${line.slice(at, end)}</mark>${line.slice(end, Math.max(start, 0) + maximum.line)}`
}
