import { queryFlag, queryText } from '../../forge/protocol/query.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { type Code, gitValue, openCode, type Place, placeIn } from '../../forge/repos/code.ts'
import { isTooMuch } from '../../git/program/outcome.ts'
import type { GitObject } from '../../git/program/reader.ts'
import { blame, ignoredIn } from '../../git/repository/lines/blame.ts'
import { objectAt } from '../../git/repository/revisions.ts'
import { found } from '../../http/route/problem.ts'
import { type Html, html } from '../html.ts'
import { pageReply } from '../profile.ts'
import { shellWord } from '../program-lines.ts'
import { highlighted, type RenderContext } from '../rendered.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { inClone } from './code-tools.ts'
import { dayOfCommit } from './commit-time.ts'
import { addressOf, stepsTo } from './folder.ts'
import { maxRendered, textOf } from './readme.ts'
import { refMenu } from './ref-menu.ts'

/** How many lines a page shows, and how long a subject. */
const maximum = { lines: 10_000, subject: 72 }

export const getBlamePage = route('GET /{owner}/{repo}/blame/{kind}/{path...}', {
  summary: 'A file of a branch, tag or commit with the commits that brought its lines, as a page',
  access: codeSeen(),
  query: { 'bypass-blame-ignore': queryFlag, find: queryText },
  ...pageReply,
  handler: async ({ params, query, ...context }) => {
    const { host } = context.from
    const code = await openCode(context)
    const place = await placeIn(code, params.kind, params.path)
    const object = gitValue(await objectAt(code, place.commit, place.path))
    const file = found(object?.type === 'blob' ? object : undefined)
    const isWhole = query['bypass-blame-ignore']
    const content = await blamed(context, code, place, { file, isWhole })
    const to = (view: 'src' | 'commits' | 'raw') => addressOf(code, view, place.name, place.path)
    const main = html`<div class="title"><div class="place">${await refMenu(code, place, 'blame', query.find)}${stepsTo(code, place)}</div>
<p class="meta">Blame · <a href="${to('src')}">Content</a> · <a href="${to('commits')}">History</a> · <a href="${to('raw')}">Raw</a></p></div>
<section class="card" aria-label="Blame">
${content}
</section>`
    return repositoryPage({
      ...context,
      host,
      current: '',
      title: `Blame of ${place.path}`,
      main,
      script: 'code',
    })
  },
})

/** @throws Problem 404, 503 */
async function blamed(
  context: RenderContext,
  code: Code,
  place: Place,
  { file, isWhole }: { file: GitObject; isWhole: boolean },
): Promise<Html> {
  const text = await textOf(code, file)
  if (text === undefined) {
    const reason = file.size > maxRendered ? 'too large for this page' : 'no text'
    return html`<p class="empty">This file is ${reason}.</p>`
  }
  const lines = text
    .replace(/\r?\n$/, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
  if (text === '') return html`<p class="empty">This file is empty.</p>`
  if (lines.length > maximum.lines)
    return tooMuch(place, `This file has ${lines.length} lines: a page shows who wrote ${maximum.lines}.`)
  const ignored = gitValue(await ignoredIn(code, place.commit))
  const read = await blame(code, place, isWhole ? [] : ignored)
  if (!read.ok && isTooMuch(read.fault))
    return tooMuch(place, 'The history of this file is too long for a page.')
  const { owner_id: owner } = code.row
  const shown = (await highlighted(context, { text: lines.join('\n'), path: place.path, owner })) ?? lines
  return html`${ignored.length === 0 ? undefined : ignoring(code, place, isWhole)}
${tableOf(code, gitValue(read), shown)}`
}

const tooMuch = ({ commit, path }: Place, sentence: string): Html =>
  inClone(sentence, `git blame ${commit.slice(0, 10)} -- ${shellWord(path)}`)

/** Says whether commits are left out, with a link to the other way. */
function ignoring(code: Code, { name, path }: Place, isWhole: boolean): Html {
  const address = addressOf(code, 'blame', name, path)
  const list = html`<a href="${addressOf(code, 'src', name, '.git-blame-ignore-revs')}">.git-blame-ignore-revs</a>`
  return isWhole
    ? html`<p class="meta">With the commits in ${list}. <a href="${address}">Leave them out</a></p>`
    : html`<p class="meta">Without the commits in ${list}. <a href="${address}?bypass-blame-ignore=true">Show them</a></p>`
}

type Blamed = Extract<Awaited<ReturnType<typeof blame>>, { ok: true }>['value']

/** The lines as a table, with a row for those that one commit brought. */
const tableOf = (
  code: Code,
  groups: Blamed,
  lines: readonly (string | Html)[],
): Html => html`<div class="source blame" tabindex="0" role="region" aria-label="Lines with their commits"><table>
<tbody>${groups.map(({ commit: { id, subject, author, at }, first, count, before }) => {
  const shown = subject.slice(0, maximum.subject) || id.slice(0, 10)
  const earlier = before && addressOf(code, 'blame', `commit/${before.commit}`, before.path)
  return html`
<tr><td class="what"><a href="${code.home}/commit/${id}">${shown}</a></td><td class="who">${author}</td><td>${dayOfCommit(at)}</td><td>${earlier && html`<a href="${earlier}" aria-label="Blame before ${shown}" title="Blame before this commit">&#8630;</a>`}</td>
<td><code class="chroma">${lines.slice(first - 1, first - 1 + count).map(
    (
      line,
      at,
    ) => html`<span id="L${first + at}"><a href="#L${first + at}" tabindex="-1">${first + at}</a>${line}
</span>`,
  )}</code></td></tr>`
})}
</tbody></table></div>`
