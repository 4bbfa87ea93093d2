import { mediaTypeOf } from '../../forge/code/media-type.ts'
import { queryFlag, queryText } from '../../forge/protocol/query.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { type Code, gitValue, openCode, type Place, placeIn } from '../../forge/repos/code.ts'
import type { GitObject } from '../../git/program/reader.ts'
import { entryAt } from '../../git/repository/folder.ts'
import { objectAt } from '../../git/repository/revisions.ts'
import { submodulesOf } from '../../git/repository/submodules.ts'
import { found } from '../../http/route/problem.ts'
import { bytesOf, counted, type Html, html } from '../html.ts'
import { pageReply } from '../profile.ts'
import { highlighted, type RenderContext, rendered } from '../rendered.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { codeTools } from './code-tools.ts'
import { editAddress, mayWrite } from './edit-address.ts'
import { addressOf, stepsTo } from './folder.ts'
import { contextOf, type FolderContext, folderSections, maxRendered, textOf } from './readme.ts'
import { refMenu } from './ref-menu.ts'

export const getSourcePage = route('GET /{owner}/{repo}/src/{kind}/{path...}', {
  summary: 'A folder with its README, or a file, of a branch, tag or commit, as a page',
  access: codeSeen(),
  query: { plain: queryFlag, find: queryText },
  ...pageReply,
  handler: async ({ params, query, ...context }) => {
    const { host } = context.from
    const code = await openCode(context)
    const place = await placeIn(code, params.kind, params.path)
    const object = gitValue(await objectAt(code, place.commit, place.path))
    const content =
      object?.type === 'tree'
        ? html`${codeTools(code, place)}
${await folder(context, code, place, object.id)}`
        : object?.type === 'blob'
          ? await file(context, code, place, { object, isPlain: query.plain })
          : await submodule(code, place)
    const isFile = object?.type === 'blob'
    const isOwn = object?.type === 'tree' || object?.type === 'blob'
    const edit = isOwn && mayWrite(context.caller) ? editAddress(code, place) : undefined
    const main = html`<div class="title"><div class="place">${await refMenu(code, place, 'src', query.find)}${stepsTo(code, place)}</div>
<p class="meta"><a href="${addressOf(code, 'commits', place.name, place.path)}">${place.path === '' ? 'Commits' : 'History'}</a>${isFile ? html` · <a href="${addressOf(code, 'blame', place.name, place.path)}">Blame</a>` : undefined} · <a href="${code.home}/commit/${place.commit}"><code>${place.commit.slice(0, 10)}</code></a>${edit && html` · <a href="${edit}">${object?.type === 'tree' ? 'Add files' : 'Edit'}</a>`}</p></div>
${content}`
    return repositoryPage({
      ...context,
      host,
      current: '',
      title: place.path || place.ref,
      main,
      script: 'code',
    })
  },
})

async function folder(context: FolderContext, code: Code, place: Place, tree: string): Promise<Html> {
  const { files, readme } = await folderSections(context, code, place, tree)
  return html`<div class="column"><section class="card" aria-label="Files">${files}</section>
${readme && html`<section class="card rendered" aria-label="README">${readme}</section>`}</div>`
}

async function file(
  context: RenderContext,
  code: Code,
  place: Place,
  { object, isPlain }: { object: GitObject; isPlain: boolean },
): Promise<Html> {
  const raw = addressOf(code, 'raw', place.name, place.path)
  const plain = `${addressOf(code, 'src', place.name, place.path)}?plain=1`
  const { shown, isRendered, lines } = await contentOf(context, code, place, { object, isPlain, raw })
  return html`<section class="card${isRendered ? ' rendered' : ''}" aria-label="Content">
<p class="meta">${lines === undefined ? undefined : `${counted(lines, 'line')} · `}${bytesOf(object.size)} · <a href="${raw}">Raw</a> · <a href="${raw}" download>Download</a>${isRendered ? html` · <a href="${plain}">As text</a>` : undefined}</p>
${shown}
</section>`
}

/** @throws Problem 404 if there is none at this place, 503 */
async function submodule(code: Code, { commit, path }: Place): Promise<Html> {
  const entry = gitValue(await entryAt(code, commit, path))
  const { id } = found(entry?.kind === 'module' ? entry : undefined)
  const address = gitValue(await submodulesOf(code, commit)).get(path)
  const isWeb = address !== undefined && /^https?:\/\//i.test(address)
  return html`<section class="card" aria-label="Content">
<p>A submodule: the commit <code>${id}</code> of ${isWeb ? html`<a href="${address}" rel="nofollow">${address}</a>` : (address ?? 'a repository that .gitmodules does not name')}.</p>
</section>`
}

interface Content {
  shown: Html
  isRendered?: boolean
  /** How many lines are shown as such. */
  lines?: number
}

/** A file as it is best seen: rendered, as a picture, as text, or not at all. */
async function contentOf(
  context: RenderContext,
  code: Code,
  place: Place,
  { object, isPlain, raw }: { object: GitObject; isPlain: boolean; raw: string },
): Promise<Content> {
  const { path } = place
  if (mediaTypeOf(path)?.startsWith('image/') && !isPlain)
    return { shown: html`<p><img src="${raw}" alt="${path}"></p>` }
  const text = await textOf(code, object)
  if (text === undefined) {
    const reason = object.size > maxRendered ? 'too large to be shown' : 'no text'
    return { shown: html`<p class="empty">This file is ${reason}.</p>` }
  }
  const { owner_id: owner } = code.row
  const source = { text, filePath: path, mode: 'file', context: contextOf(code, place), owner } as const
  const shown = isPlain ? undefined : await rendered(context, source)
  return shown ? { shown, isRendered: true } : linesOf(context, { text, path, owner })
}

/** How many lines are numbered: each number is an element. */
const maxLines = 20_000

/** How many characters are shown in colours: these take four times the bytes of the text. */
const maxColoured = 100 * 1024

/** Text in colours with numbered lines, each with an anchor: `#L12`; a long one without colours, and in little markup. */
async function linesOf(
  context: RenderContext,
  file: { text: string; path: string; owner: number },
): Promise<Content> {
  const { path } = file
  const text = file.text.replace(/\r?\n$/, '').replaceAll('\r\n', '\n')
  const lines = text.split('\n')
  if (lines.length > maxLines)
    return {
      shown: html`<pre tabindex="0" role="region" aria-label="${path}"><code>${text}</code></pre>`,
      lines: lines.length,
    }
  if (text.length > maxColoured) {
    const list = lines.map((line, at) => html`<li id=L${at + 1}>${line}`)
    return {
      shown: html`<div class="source" tabindex="0" role="region" aria-label="${path}"><ol>${list}</ol></div>`,
      lines: lines.length,
    }
  }
  const shown = (await highlighted(context, { ...file, text })) ?? lines
  return {
    shown: html`<pre class="source" tabindex="0" role="region" aria-label="${path}"><code class="chroma">${shown.map(
      (line, at) => html`<span id="L${at + 1}"><a href="#L${at + 1}" tabindex="-1">${at + 1}</a>${line}
</span>`,
    )}</code></pre>`,
    lines: text === '' ? 0 : lines.length,
  }
}
