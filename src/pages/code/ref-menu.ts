import { type Code, gitValue, type Place } from '../../forge/repos/code.ts'
import { newestRefs } from '../../git/repository/cache/newest-refs.ts'
import { isLine, objectsNamed } from '../../git/repository/objects.ts'
import { type Html, html } from '../html.ts'
import { addressOf, type View } from './folder.ts'

/** How many branches, and tags, the list of a page has, and among how many it finds a word. */
const maximum = { listed: 20, found: 50, searched: 10_000 }

interface Ref {
  name: string
  commit: string
}

/** The newest first. */
interface Refs {
  branches: readonly Ref[]
  tags: readonly Ref[]
}

/**
 * A list of branches and tags, each with a link to the same place of the code in the same view, or to the root if it does
 * not have the place. `find`: part of a name; the list is then open and shows the names with it.
 */
export async function refMenu(code: Code, place: Place, view: View, find = ''): Promise<Html> {
  const [kind = ''] = place.name.split('/', 1)
  const { branches, tags } = await refsOf(code, find)
  const havePath = await refsWith(code, place.path, [...branches, ...tags])
  const linksTo = (type: 'branch' | 'tag', refs: readonly Ref[]) =>
    refs.map((ref) => {
      const name = `${type}/${ref.name}`
      const address = havePath.has(ref)
        ? addressOf(code, view, name, place.path)
        : addressOf(code, view === 'blame' ? 'src' : view, name)
      return html`
<li><a href="${address}"${name === place.name ? html` aria-current="true"` : undefined}>${ref.name}</a></li>`
    })
  const list = (title: string, links: readonly Html[], all: string) =>
    links.length === 0
      ? undefined
      : html`<p class="meta"><a href="${code.home}/${all}">${title}</a></p>
<ul>${links}</ul>`
  return html`<details class="refs"${find === '' ? undefined : html` open`}>
<summary class="button quiet"><span class="quiet-text">${kind}</span> ${place.ref}</summary>
<div class="refs-list">
<form method="get" action="${addressOf(code, view, place.name, place.path)}">
<div class="field"><label for="find-ref">Find a branch or tag</label>
<input type="search" id="find-ref" name="find" value="${find}"></div>
</form>
${list('Branches', linksTo('branch', branches), 'branches')}
${list('Tags', linksTo('tag', tags), 'tags')}
${find !== '' && branches.length + tags.length === 0 ? html`<p class="empty">No name has &ldquo;${find}&rdquo;.</p>` : undefined}
</div>
</details>`
}

/** Those of the refs that have a file or folder at a path. @throws Problem 404, 503 */
async function refsWith(code: Code, path: string, refs: readonly Ref[]): Promise<ReadonlySet<Ref>> {
  // Git is asked by lines; such a path is rare enough to lead to the root.
  if (!isLine(path)) return new Set()
  if (path === '') return new Set()
  const names = refs.map(({ commit }) => `${commit}:${path}`)
  const objects = gitValue(await objectsNamed(code, names))
  return new Set(refs.filter((_, at) => objects[at]))
}

/** With the text, if there is one. @throws Problem 404, 503 */
async function refsOf(code: Code, find: string): Promise<Refs> {
  const text = find.toLowerCase()
  const count = text === '' ? maximum.listed : maximum.searched
  const [branches, tags] = await Promise.all(
    (['heads', 'tags'] as const).map(async (kind) =>
      gitValue(await newestRefs(code, kind, count))
        .filter(({ name }) => name.toLowerCase().includes(text))
        .slice(0, maximum.found),
    ),
  )
  return { branches: branches ?? [], tags: tags ?? [] }
}
