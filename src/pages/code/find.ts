import { queryText, queryTrimmed } from '../../forge/protocol/query.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { type Code, gitValue, openCode, type Place, placeIn } from '../../forge/repos/code.ts'
import { isStoredPath } from '../../git/program/names.ts'
import { listPaths } from '../../git/repository/tree.ts'
import { notFound } from '../../http/route/problem.ts'
import { counted, type Html, html } from '../html.ts'
import { listOf } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { addressOf, stepsTo } from './folder.ts'
import { refMenu } from './ref-menu.ts'

/** How many paths a page shows. */
const maximum = 500

export const findFilePage = route('GET /{owner}/{repo}/find/{kind}/{path...}', {
  summary: 'The files of a branch, tag or commit whose paths have all words of a text, as a page',
  access: codeSeen(),
  query: { q: queryTrimmed, find: queryText },
  ...pageReply,
  handler: async ({ params, query, ...context }) => {
    const { host } = context.from
    const code = await openCode(context)
    const place = await placeIn(code, params.kind, params.path)
    if (place.path !== '') throw notFound()
    const { paths, isCut } = gitValue(await listPaths(code, place.commit))
    const matching = matchingPaths(paths, query.q)
    const main = html`<div class="title"><div class="place">${await refMenu(code, place, 'find', query.find)}${stepsTo(code, place)}</div>
<p class="meta">Find a file</p></div>
<form class="search" role="search" aria-label="Files" action="${addressOf(code, 'find', place.name)}">
<label for="q">Parts of the path</label>
<div class="search-row"><input class="search-field" type="search" id="q" name="q" value="${query.q}" autofocus> <button>Find</button></div>
</form>
<section class="card" aria-labelledby="files"><h2 id="files">${counted(matching.length, 'file')}${isCut ? ' among the first' : ''}</h2>
${listOf(
  matching.slice(0, maximum).map((path) => entryOf(code, place, path)),
  query.q === '' ? 'No files here yet.' : html`No path has &ldquo;${query.q}&rdquo;.`,
)}</section>
${matching.length > maximum ? html`<p class="meta">and ${matching.length - maximum} more: write more of the path</p>` : undefined}`
    return repositoryPage({ ...context, host, current: '', title: 'Find a file', main })
  },
})

const entryOf = (code: Code, { name }: Place, path: string): Html => {
  const isReachable = isStoredPath(path) && !path.includes('\ufffd')
  return html`
<li>${isReachable ? html`<a href="${addressOf(code, 'src', name, path)}">${path}</a>` : path}</li>`
}

/** The paths with all words of a text, whatever the case: first those that have them in the name of the file. */
function matchingPaths(paths: readonly string[], text: string): readonly string[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return paths
  const has = (path: string) => words.every((word) => path.includes(word))
  const [inName, elsewhere]: [string[], string[]] = [[], []]
  for (const path of paths) {
    const lower = path.toLowerCase()
    if (has(lower.slice(lower.lastIndexOf('/') + 1))) inName.push(path)
    else if (has(lower)) elsewhere.push(path)
  }
  return [...inName, ...elsewhere]
}
