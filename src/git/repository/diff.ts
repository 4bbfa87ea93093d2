import { decodedText } from '../../common/charset.ts'
import { done } from '../../common/outcome.ts'
import { findRenames, type IgnoredSpace, plainDiff, spaceOptions } from '../program/diff-options.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'

/** How one file differs. */
interface FileDiff {
  /** Its path, after the change if it was renamed. */
  path: string
  /** Lines as git writes them, in the charset that they suggest, from the first hunk, or its sentence about binary files. */
  lines: string[]
}

/** The differences between two commits, up to a number of bytes. */
interface Diff {
  files: FileDiff[]
  /** Whether there are more differences than were read. */
  isCut: boolean
}

interface DiffOptions {
  before: string
  after: string
  /** The paths of the files that are compared. */
  paths: readonly string[]
  /** Whether a renamed file is compared with what it was; both of its paths are then in `paths`. */
  renames?: boolean
  ignored?: IgnoredSpace
  /** Maximum bytes of differences; 256 kB by default. */
  maxBytes?: number
}

/** Larger files count as binary: comparing them takes long, and the result is too long to read. */
const largest = '-c core.bigFileThreshold=512k'.split(' ')
const plain = [...plainDiff, '--no-prefix', '--full-index']

/** How some files of a commit, or of a tree, differ from those of another one. Faults: name, those of git. */
export async function readDiff(
  { git, directory }: OpenRepository,
  { before, after, paths, renames = false, ignored = 'none', maxBytes = 256 * 1024 }: DiffOptions,
): Promise<GitOutcome<Diff>> {
  if (![before, after].every(isObjectId)) return fault('name', `not object ids: ${before} ${after}`)
  const shown = [...plain, ...(renames ? findRenames : ['--no-renames']), ...spaceOptions[ignored]]
  const only = paths.map((path) => `:(literal)${path}`)
  const command = [...largest, 'diff-tree', '-r', '-p', ...shown, before, after, '--', ...only]
  const read = await git.run(directory, command, { maxBytes, truncate: true })
  if (!read.ok) return read
  return done({ files: filesOf(read.value.toString('latin1')), isCut: read.value.length >= maxBytes })
}

/** The head of a file, and its line with the path of a renamed one; lines of its content begin with a space, a sign or a backslash. */
const head = 'diff --git '
const renamed = 'rename to '

/** `output`: bytes as latin1, for files may have different charsets. */
function filesOf(output: string): FileDiff[] {
  const files: FileDiff[] = []
  for (const line of output.split('\n').slice(0, -1)) {
    const file = files.at(-1)
    if (line.startsWith(head)) files.push({ path: pathOf(line.slice(head.length)), lines: [] })
    else if (!file) continue
    else if (file.lines.length > 0 || /^(?:@@|Binary files)/.test(line)) file.lines.push(line)
    else if (line.startsWith(renamed)) file.path = unquoted(utf8Of(line.slice(renamed.length)))
  }
  return files.map(({ path, lines }) => ({ path, lines: decoded(lines) }))
}

const utf8Of = (latin1: string) => Buffer.from(latin1, 'latin1').toString('utf8')

function decoded(lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const bytes = Buffer.from(lines.join('\n'), 'latin1')
  return (decodedText(bytes) ?? bytes.toString('utf8')).split('\n')
}

/** The line has the path twice, with a space between; of a renamed file two paths, which another line tells apart. */
const pathOf = (twice: string) => unquoted(utf8Of(twice.slice(0, (twice.length - 1) / 2)))

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** A path that git has put into quotes, because it has quotes, backslashes or control characters. */
export const unquoted = (path: string) =>
  path.startsWith('"')
    ? path
        .slice(1, -1)
        .replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, char: string) =>
          octal === undefined ? (escapes[char] ?? char) : String.fromCharCode(Number.parseInt(octal, 8)),
        )
    : path
