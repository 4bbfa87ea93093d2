import { entriesOfTree, type FolderEntry, objectAt } from '../../git/repository/objects.ts'
import { readBlobs } from '../../git/repository/tree.ts'
import { Problem } from '../../http/route/problem.ts'
import { type Html, html } from '../html.ts'
import { type RenderContext, rendered } from '../rendered.ts'
import { type Code, gitValue, type Place, placeIn } from './code.ts'
import { folderTable } from './folder.ts'

/** Largest file that is rendered, in bytes. */
export const maxRendered = 512 * 1024

/** Names of a file that introduces a folder, the best first. */
const names = ['readme.md', 'readme.org', 'readme.markdown', 'readme.rst', 'readme.txt', 'readme']

/** The text of a file; undefined if it is too large or no text. @throws Problem 503 */
export async function textOf(
  code: Code,
  { id, size }: { id: string; size: number },
): Promise<string | undefined> {
  if (size > maxRendered) return undefined
  const bytes = gitValue(await readBlobs(code, [id], maxRendered + 1024)).get(id)
  return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString('utf8')
}

/** Where relative links of a file lead: paths are those of its folder. */
export const contextOf = (code: Code, { name }: Place) => `${code.path}/src/${name}`

/** The rendered README of a folder; undefined if it has none that can be read. */
async function readmeAmong(
  context: RenderContext,
  code: Code,
  place: Place,
  entries: readonly FolderEntry[],
): Promise<Html | undefined> {
  const files = entries.filter(({ kind }) => kind === 'file')
  const ranked = names.flatMap((name) => files.filter((each) => each.name.toLowerCase() === name))
  const file = ranked.find(({ size = 0 }) => size <= maxRendered)
  const text = file && (await textOf(code, { id: file.id, size: file.size ?? 0 }))
  if (!file || text === undefined) return undefined
  const filePath = place.path === '' ? file.name : `${place.path}/${file.name}`
  const shown = {
    text,
    filePath,
    mode: 'file',
    context: contextOf(code, place),
    owner: code.row.owner_id,
  } as const
  return (await rendered(context, shown)) ?? html`<pre>${text}</pre>`
}

/** A folder: its entries, and its README. `tree`: the id of its tree. @throws Problem 503 */
export async function folderSections(
  context: RenderContext,
  code: Code,
  place: Place,
  tree: string,
): Promise<{ files: Html; readme: Html | undefined }> {
  const entries = gitValue(await entriesOfTree(code, tree))
  const readme = await readmeAmong(context, code, place, entries)
  return { files: folderTable(code, place, entries), readme }
}

/**
 * The root of the default branch; undefined for an empty repository, or where it cannot be read: the page is of use
 * without it.
 */
export async function defaultBranchSections(
  context: RenderContext,
  code: Code,
): Promise<{ files: Html; readme: Html | undefined } | undefined> {
  if (code.row.is_empty) return undefined
  try {
    const place = await placeIn(code, 'branch', code.row.default_branch)
    const root = gitValue(await objectAt(code, place.commit, ''))
    return root && (await folderSections(context, code, place, root.id))
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
