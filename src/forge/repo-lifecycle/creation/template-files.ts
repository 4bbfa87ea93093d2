import { setImmediate as turn } from 'node:timers/promises'
import { compileGlob, type Matcher } from '../../../common/glob.ts'
import { isTreePath } from '../../../git/program/names.ts'
import type { TreeEditor } from '../../../git/repository/edit-tree.ts'
import { readObject } from '../../../git/repository/objects.ts'
import { type ListedEntry, listTree } from '../../../git/repository/tree.ts'
import { folderMode } from '../../../git/repository/tree-object.ts'
import { type NewObject, newObject } from '../../../git/repository/write-objects.ts'
import { unprocessable } from '../../../http/route/problem.ts'
import { type Code, gitValue } from '../../repos/code.ts'
import { expand, type Variables } from './expansion.ts'

/** The rules of `.gitea/template` for the other files of a template. */
interface Rules {
  /** Files whose names and contents are expanded. */
  expands: Matcher[]
  /** Files and folders that the new repository does not get. */
  excludes: Matcher[]
}

const rulesPath = '.gitea/template'

/** Longer files are not expanded, as in Gitea, in bytes. */
const maxFileBytes = 1024 * 1024

/** Bounds of the work for one request: bytes of expanded files, and paths that are compared with globs. */
const [maxBytes, maxComparisons] = [32 * 1024 * 1024, 2_000_000]

/**
 * Expands and removes files of a template by the rules of its `.gitea/template`, and removes that file. Returns the new
 * contents. `tree`: id of the root.
 * @throws Problem 422 too much work, or two files of one name; 503
 */
export async function applyTemplate(
  code: Code,
  editor: TreeEditor,
  { tree, variables }: { tree: string; variables: Variables },
): Promise<NewObject[]> {
  const rules = await rulesOf(code, editor)
  if (!rules) return []
  gitValue(await editor.remove(rulesPath))
  const globs = rules.expands.length + rules.excludes.length
  if (globs === 0) return []
  const listing = { recursive: true, skip: 0, count: Number.POSITIVE_INFINITY }
  const { entries } = gitValue(await listTree(code, tree, listing))
  if (entries.length * globs > maxComparisons) throw tooMuch()
  const included = await withoutExcluded(editor, entries, rules.excludes)
  const contents: NewObject[] = []
  let bytes = 0
  for (const entry of included) {
    if (!isRegular(entry) || !matches(rules.expands, entry.path)) continue
    const content = await expandFile(code, editor, entry, variables)
    bytes += content?.bytes.length ?? 0
    if (bytes > maxBytes) throw tooMuch()
    if (content) contents.push(content)
  }
  return contents
}

const tooMuch = () => unprocessable('the template has too many files for what its .gitea/template says')

const matches = (globs: readonly Matcher[], path: string) => globs.some((glob) => glob(path))

const isRegular = ({ mode }: Pick<ListedEntry, 'mode'>) => mode.startsWith('100')

/** Undefined: the template has no such file. @throws Problem 503 */
async function rulesOf(code: Code, editor: TreeEditor): Promise<Rules | undefined> {
  const entry = gitValue(await editor.find(rulesPath))
  if (entry?.path !== rulesPath || !isRegular(entry)) return undefined
  const file = gitValue(await readObject(code, entry.id, maxFileBytes))
  const rules: Rules = { expands: [], excludes: [] }
  let globs = rules.expands
  for (const rawLine of (file?.content ?? Buffer.alloc(0)).toString('utf8').split('\n')) {
    const line = rawLine.trim()
    if (line === '[expand]') globs = rules.expands
    else if (line === '[exclude]') globs = rules.excludes
    else if (line !== '' && !line.startsWith('#') && !/^\[.*\]$/.test(line)) {
      // A line that is no glob is ignored.
      const glob = compileGlob(line, { separators: '/' })
      if (glob) globs.push(glob)
    }
  }
  return rules
}

/** Removes the excluded entries; returns the others. @throws Problem 503 */
async function withoutExcluded(
  editor: TreeEditor,
  entries: readonly ListedEntry[],
  globs: readonly Matcher[],
): Promise<ListedEntry[]> {
  const included: ListedEntry[] = []
  /** The folder that was removed last: its entries follow it in the list. */
  let excluded: string | undefined
  for (const [at, entry] of entries.entries()) {
    // Lets other requests run.
    if (at % 1000 === 999) await turn()
    if (entry.path === rulesPath || (excluded !== undefined && entry.path.startsWith(excluded))) continue
    if (!matches(globs, entry.path)) included.push(entry)
    else {
      if (entry.type === 'tree') excluded = `${entry.path}/`
      gitValue(await editor.remove(entry.path))
    }
  }
  return included
}

/** Expands the name and the content of a file; undefined if it cannot be expanded. @throws Problem 422, 503 */
async function expandFile(
  code: Code,
  editor: TreeEditor,
  { path, id, mode }: ListedEntry,
  variables: Variables,
): Promise<NewObject | undefined> {
  const file = gitValue(await readObject(code, id, maxFileBytes))
  if (!file || file.size > maxFileBytes || !isTreePath(path)) return undefined
  // A file can have any encoding: each byte is a character here.
  const values = new Map([...variables].map(([name, value]) => [name, Buffer.from(value).toString('latin1')]))
  const expanded = Buffer.from(expand(file.content.toString('latin1'), values), 'latin1')
  const blob = newObject(code.row.object_format, 'blob', expanded)
  const to = pathOf(expand(path, variables)) ?? path
  if (to !== path) {
    gitValue(await editor.remove(path))
    await requireRoom(editor, to)
  }
  gitValue(await editor.put(to, { mode, id: blob.id }))
  return blob
}

/** @throws Problem 422 the path is a folder, or leads through a file */
async function requireRoom(editor: TreeEditor, path: string): Promise<void> {
  const entry = gitValue(await editor.find(path))
  if (entry && (entry.path !== path || entry.mode === folderMode))
    throw unprocessable(`the template has a file and a folder of one name [path: ${entry.path}]`)
}

/** A path without names and characters that file systems do not accept, as Gitea writes it; undefined: nothing is left. */
function pathOf(expanded: string): string | undefined {
  const parts = expanded.split('/').map((part) => {
    const plain = part.replace(/[<>:"\\|?*\x00-\x1f]/g, '_').trim()
    if (/^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(plain)) return '_'
    if (plain.startsWith('..')) return `__${plain.slice(2)}`
    return /^\.git$/i.test(plain) ? `_${plain.slice(1)}` : plain
  })
  const path = parts.filter((part) => part !== '' && part !== '.').join('/')
  return isTreePath(path) ? path : undefined
}
