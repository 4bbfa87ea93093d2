import { LRUCache } from 'lru-cache'
import { type Code, gitValue, type Place } from '../../forge/code/code.ts'
import { newestRefs } from '../../git/repository/refs.ts'
import { type Html, html } from '../html.ts'
import { addressOf } from './folder.ts'

/** How many branches, and tags, the list of a page has, and among how many it finds a word. */
const most = { listed: 20, found: 50, searched: 10_000 }

/** Names of refs, the newest first. */
interface RefNames {
  branches: readonly string[]
  tags: readonly string[]
}

/** The newest names by repository and the time of its last change: no process of git for each page. */
const known = new LRUCache<string, RefNames>({ max: 1000 })

/**
 * A list of branches and tags that lead to the same place of the code, in the same view. `find`: part of a name; the list
 * is open then, and shows what has it.
 */
export async function refMenu(code: Code, place: Place, view: 'src' | 'commits', find = ''): Promise<Html> {
  const [kind = ''] = place.name.split('/', 1)
  const { branches, tags } = await namesOf(code, find)
  const linksTo = (type: 'branch' | 'tag', names: readonly string[]) =>
    names.map((name) => {
      const isCurrent = place.name === `${type}/${name}`
      return html`
<li><a href="${addressOf(code, view, `${type}/${name}`, place.path)}"${isCurrent ? html` aria-current="true"` : undefined}>${name}</a></li>`
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
${find !== '' && branches.length + tags.length === 0 ? html`<p class="empty">No name has “${find}”.</p>` : undefined}
</div>
</details>`
}

/** @throws Problem 404, 503 */
async function namesOf(code: Code, find: string): Promise<RefNames> {
  if (find !== '') return readNames(code, most.searched, find)
  const { id, updated_at, branch_count, size } = code.row
  const key = [id, updated_at, branch_count, size].join()
  const names = known.get(key) ?? (await readNames(code, most.listed))
  known.set(key, names)
  return names
}

/** @throws Problem 404, 503 */
async function readNames(code: Code, count: number, find = ''): Promise<RefNames> {
  const wanted = find.toLowerCase()
  const [branches, tags] = await Promise.all(
    (['heads', 'tags'] as const).map(async (kind) =>
      gitValue(await newestRefs(code, kind, count))
        .map(({ name }) => name)
        .filter((name) => name.toLowerCase().includes(wanted))
        .slice(0, most.found),
    ),
  )
  return { branches: branches ?? [], tags: tags ?? [] }
}
