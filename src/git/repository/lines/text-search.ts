import { done } from '../../../common/outcome.ts'
import type { OpenRepository } from '../../program/git.ts'
import { isObjectId, isStoredPath } from '../../program/names.ts'
import { fault, type GitOutcome } from '../../program/outcome.ts'
import { isLine } from '../objects.ts'
import type { PathInCommit } from '../revisions.ts'
import { listFiles } from '../tree.ts'

/** What is searched for: a text as it is, in one line. */
interface TextSearch {
  text: string
  /** Whether the case of letters from A to Z counts. */
  isExact: boolean
}

/** A line of a file. */
export interface FoundLine {
  number: number
  text: string
  /** Whether it has the text; otherwise it is beside one that has it. */
  isFound: boolean
}

/** A file in which the text was found. */
export interface FoundFile {
  path: string
  /** Lines one after another, in each of these lists. */
  parts: FoundLine[][]
}

/** Characters of a text, how long git may work, in milliseconds, and bytes of the lines that it gives. */
const maximum = { text: 200, milliseconds: 10_000, bytes: 1024 * 1024 }

/** Whether git may search for this text. */
export const isSearchable = (text: string): boolean =>
  text !== '' && text.length <= maximum.text && isLine(text) && !text.includes('\0')

/** Files above these bytes are left out where they do not fit into the memory that git may use, at most so many. */
const large = { bytes: 8 * 1024 * 1024, files: 200 }

/** Threads of git take memory, and save no time: measured with 5,000 files in a pack. */
const command = [
  'grep',
  '--threads=1',
  '-z',
  '-I',
  '-n',
  '-F',
  '-C1',
  '--full-name',
  '--no-color',
  '--no-textconv',
]

/**
 * The text files of a commit, below a path unless it is "", in which a text is found, with the lines beside; by path.
 * `isCut`: whether there are more than were read. Faults: name; those of git.
 */
export async function searchText(
  repository: OpenRepository,
  { commit, path }: Pick<PathInCommit, 'commit' | 'path'>,
  search: TextSearch,
): Promise<GitOutcome<{ files: FoundFile[]; isCut: boolean }>> {
  if (!isObjectId(commit) || (path !== '' && !isStoredPath(path)) || !isSearchable(search.text))
    return fault('name', `not an object id, a path and a text: ${commit} ${path} ${search.text}`)
  const below = path === '' ? [] : [`:(literal)${path}`]
  const read = await grep(repository, commit, search, below)
  if (!read.ok) return read
  const files = filesIn(read.value.toString('utf8'), commit, search)
  return done({ files, isCut: read.value.length >= maximum.bytes })
}

/** Git holds each file in memory: where one does not fit, it is asked again without the large ones. */
async function grep(
  repository: OpenRepository,
  commit: string,
  search: TextSearch,
  paths: readonly string[],
): Promise<GitOutcome<Buffer>> {
  const read = await grepIn(repository, commit, search, paths)
  if (read.ok || read.fault.kind !== 'heavy') return read
  const listed = await listFiles(repository, commit, { truncate: true })
  if (!listed.ok) return listed
  const some = listed.value.filter(({ size }) => size > large.bytes).slice(0, large.files)
  const without = some.map((file) => `:(exclude,literal)${file.path}`)
  return grepIn(repository, commit, search, [...paths, ...without])
}

async function grepIn(
  { git, directory }: OpenRepository,
  commit: string,
  { text, isExact }: TextSearch,
  paths: readonly string[],
): Promise<GitOutcome<Buffer>> {
  const words = [...(isExact ? [] : ['-i']), '-e', text, commit, '--', ...paths]
  const { milliseconds, bytes: maxBytes } = maximum
  const options = { kind: 'text', milliseconds, maxBytes, truncate: true } as const
  const read = await git.run(directory, [...command, ...words], options)
  return !read.ok && hasFoundNothing(read.fault.log) ? done(Buffer.alloc(0)) : read
}

/** Git exits with 1, and says nothing, if no line has the text. */
const hasFoundNothing = (log: string) => /ended with 1: ?$/.test(log)

/**
 * Parses git's lines: the commit and the path, a number and the text of a line, with a NUL between; a line of two signs
 * between parts that do not follow each other. An incomplete last line is dropped.
 */
function filesIn(output: string, commit: string, search: TextSearch): FoundFile[] {
  const files: FoundFile[] = []
  const isFound = finderOf(search)
  let isNew = true
  for (let at = 0; at < output.length; ) {
    if (output.startsWith('--\n', at)) {
      at += 3
      isNew = true
      continue
    }
    const [afterPath, afterNumber] = [
      output.indexOf('\0', at),
      output.indexOf('\0', output.indexOf('\0', at) + 1),
    ]
    const end = output.indexOf('\n', afterNumber)
    if (afterPath < 0 || afterNumber < 0 || end < 0) break
    const path = output.slice(at + commit.length + 1, afterPath)
    const text = output.slice(afterNumber + 1, end)
    const line = { number: Number(output.slice(afterPath + 1, afterNumber)), text, isFound: isFound(text) }
    if (files.at(-1)?.path !== path) files.push({ path, parts: [[line]] })
    else if (isNew) files.at(-1)?.parts.push([line])
    else files.at(-1)?.parts.at(-1)?.push(line)
    isNew = false
    at = end + 1
  }
  return files
}

const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Git says only of lines without a NUL which of them have the text. */
function finderOf({ text, isExact }: TextSearch): (line: string) => boolean {
  const sought = folded(text)
  return (line) => (isExact ? line.includes(text) : folded(line).includes(sought))
}
