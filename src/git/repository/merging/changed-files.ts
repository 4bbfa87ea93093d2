import { done } from '../../../common/outcome.ts'
import {
  findRenames,
  type IgnoredSpace,
  largestCompared,
  plainDiff,
  spaceOptions,
} from '../../program/diff-options.ts'
import type { OpenRepository } from '../../program/git.ts'
import { isObjectId } from '../../program/names.ts'
import { fault, type GitOutcome } from '../../program/outcome.ts'
import type { PlacedEntry } from '../edit-tree.ts'

/** A file that differs between two commits. */
export interface ChangedFile {
  path: string
  /** Its path before, if it was renamed. */
  previous: string | undefined
  status: 'added' | 'removed' | 'modified' | 'renamed'
  /** Numbers of lines; 0 for a binary file. */
  additions: number
  deletions: number
  isBinary: boolean
  /** Undefined: it did not exist. */
  before: PlacedEntry | undefined
  /** Undefined: it was removed. */
  after: PlacedEntry | undefined
}

/** The files that differ, in the order of git. */
interface ChangedFiles {
  files: ChangedFile[]
  /** Whether there is more than was read: files, or numbers of lines. */
  isCut: boolean
}

/** Maximum bytes of the list, about 50,000 files. */
const maxBytes = 16 * 1024 * 1024
const plain = [...plainDiff, '--no-abbrev']

/** The files that differ between two commits. Faults: name, those of git. */
export async function changedFiles(
  { git, directory }: OpenRepository,
  { before, after, ignored = 'none' }: { before: string; after: string; ignored?: IgnoredSpace },
): Promise<GitOutcome<ChangedFiles>> {
  if (![before, after].every(isObjectId)) return fault('name', `not object ids: ${before} ${after}`)
  const shown = ['-r', '-z', '--raw', '--numstat', ...findRenames, ...plain, ...spaceOptions[ignored]]
  const command = [...largestCompared, 'diff-tree', ...shown, before, after, '--']
  const read = await git.run(directory, command, { maxBytes, truncate: true })
  if (!read.ok) return read
  const isCut = read.value.length >= maxBytes
  return done({ files: filesIn(read.value.toString('utf8').split('\0')), isCut })
}

/**
 * Parses git's output: for each file a line that begins with a colon, and one path, or two of a renamed file; then for
 * each file its numbers of lines in the same way. Paths are never empty; the last token is empty or incomplete.
 */
function filesIn(tokens: readonly string[]): ChangedFile[] {
  const files = new Map<string, ChangedFile>()
  for (let at = 0; at + 1 < tokens.length; at++) {
    const token = tokens[at] ?? ''
    if (token.startsWith(':')) {
      const isRename = / R\d+$/.test(token)
      const [path, renamed] = [tokens[++at] ?? '', isRename ? tokens[++at] : undefined]
      const file = fileOf(token, renamed ?? path, renamed === undefined ? undefined : path)
      files.set(file.path, file)
    } else {
      const [added = '', deleted = '', ...rest] = token.split('\t')
      const named = rest.join('\t')
      if (named === '') at += 2
      count(files.get(named === '' ? (tokens[at] ?? '') : named), added, deleted)
    }
  }
  return [...files.values()]
}

const statuses: Readonly<Record<string, ChangedFile['status']>> = { A: 'added', D: 'removed', R: 'renamed' }

/** Parses `:100644 100755 <id before> <id after> M`. */
function fileOf(line: string, path: string, previous: string | undefined): ChangedFile {
  const [modeBefore = '', modeAfter = '', idBefore = '', idAfter = '', letter = ''] = line.slice(1).split(' ')
  return {
    path,
    previous,
    status: statuses[letter.charAt(0)] ?? 'modified',
    additions: 0,
    deletions: 0,
    isBinary: false,
    before: entryOf(modeBefore, idBefore),
    after: entryOf(modeAfter, idAfter),
  }
}

/** Git writes zeros where there is no file. */
const entryOf = (mode: string, id: string): PlacedEntry | undefined =>
  /^0+$/.test(mode) ? undefined : { mode, id }

function count(file: ChangedFile | undefined, added: string, deleted: string): void {
  if (!file) return
  file.isBinary = added === '-'
  file.additions = Number(added) || 0
  file.deletions = Number(deleted) || 0
}
