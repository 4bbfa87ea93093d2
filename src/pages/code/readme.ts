import { decodedText } from '../../common/charset.ts'
import { type Code, type CodeContext, gitValue, type Place, placeIn } from '../../forge/repos/code.ts'
import { entriesOfTree, type FolderEntry } from '../../git/repository/folder.ts'
import { readObject } from '../../git/repository/objects.ts'
import { objectAt } from '../../git/repository/revisions.ts'
import { Problem } from '../../http/route/problem.ts'
import { type Html, html } from '../html.ts'
import { type RenderContext, rendered } from '../rendered.ts'
import { folderTable } from './folder.ts'
import { lastCommitsIn } from './last-commits.ts'

/** Largest file that is rendered, in bytes. */
export const maxRendered = 512 * 1024

/** Names of a file that introduces a folder, the best first. */
const names = ['readme.md', 'readme.org', 'readme.markdown', 'readme.rst', 'readme.txt', 'readme']

/** Folders of the root whose README introduces a repository that has none in its root, the best first. */
const wellKnown = ['docs', '.gitea', '.github']

/** The text of a file, in the charset that it has; undefined if it is too large or no text. @throws Problem 503 */
export async function textOf(
  code: Code,
  { id, size }: { id: string; size: number },
): Promise<string | undefined> {
  if (size > maxRendered) return undefined
  const bytes = gitValue(await readObject(code, id, size))?.content
  return bytes && decodedText(bytes)
}

/** Where relative links of a file lead: paths are those of its folder. */
export const contextOf = (code: Code, { name }: Place) => `${code.path}/src/${name}`

/** How many possible READMEs of a folder are looked up: each link is a question to git. */
const maxCandidates = 8

/** The path and object of the README among the entries of a folder. @throws Problem 503 */
async function readmeAmong(
  code: Code,
  { commit, path }: Pick<Place, 'commit' | 'path'>,
  entries: readonly FolderEntry[],
): Promise<{ path: string; id: string; size: number } | undefined> {
  const files = entries.filter(({ kind }) => kind === 'file' || kind === 'link')
  const ranked = names.flatMap((name) => files.filter((each) => each.name.toLowerCase() === name))
  for (const { name, kind, id, size = 0 } of ranked.slice(0, maxCandidates)) {
    const inside = path === '' ? name : `${path}/${name}`
    const object =
      kind === 'file'
        ? { id, size, type: 'blob' }
        : gitValue(await objectAt(code, commit, inside, { throughLinks: true }))
    if (object?.type === 'blob' && object.size <= maxRendered)
      return { path: inside, id: object.id, size: object.size }
  }
  return undefined
}

/** The README of the first well-known folder that has one. @throws Problem 503 */
async function readmeBelow(code: Code, { commit }: Place, entries: readonly FolderEntry[]) {
  const folders = entries.filter(({ kind }) => kind === 'folder')
  for (const name of wellKnown) {
    const folder =
      folders.find((each) => each.name === name) ?? folders.find((each) => each.name.toLowerCase() === name)
    const inside = folder && gitValue(await entriesOfTree(code, folder.id))
    const readme = inside && (await readmeAmong(code, { commit, path: folder.name }, inside))
    if (readme) return readme
  }
  return undefined
}

/** The rendered README of a folder; undefined if it has none that can be read. @throws Problem 503 */
async function readmeOf(
  context: RenderContext,
  code: Code,
  place: Place,
  entries: readonly FolderEntry[],
): Promise<Html | undefined> {
  const isRoot = place.path === ''
  const file =
    (await readmeAmong(code, place, entries)) ??
    (isRoot ? await readmeBelow(code, place, entries) : undefined)
  const text = file && (await textOf(code, file))
  if (!file || text === undefined) return undefined
  const shown = {
    text,
    filePath: file.path,
    mode: 'file',
    context: contextOf(code, place),
    owner: code.row.owner_id,
  } as const
  return (await rendered(context, shown)) ?? html`<pre>${text}</pre>`
}

/** What the page of a folder needs of a request. */
export type FolderContext = RenderContext & Pick<CodeContext, 'from'>

/** A folder: its entries with the commits that changed them last, and its README. `tree`: the id of its tree. @throws Problem 503 */
export async function folderSections(
  context: FolderContext,
  code: Code,
  place: Place,
  tree: string,
): Promise<{ files: Html; readme: Html | undefined }> {
  const entries = gitValue(await entriesOfTree(code, tree))
  const names = entries.map(({ name }) => name)
  const [readme, commits] = await Promise.all([
    readmeOf(context, code, place, entries),
    lastCommitsIn(context, code, place, names),
  ])
  return { files: folderTable(code, place, entries, commits), readme }
}

/**
 * The root of the default branch; undefined for an empty repository, or if it cannot be read: the page is
 * useful without it.
 */
export async function defaultBranchSections(
  context: FolderContext,
  code: Code,
): Promise<{ files: Html; readme: Html | undefined; place: Place } | undefined> {
  if (code.row.is_empty) return undefined
  try {
    const place = await placeIn(code, 'branch', code.row.default_branch)
    const root = gitValue(await objectAt(code, place.commit, ''))
    return root && { ...(await folderSections(context, code, place, root.id)), place }
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
