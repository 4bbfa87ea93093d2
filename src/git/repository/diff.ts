import { done } from '../../outcome.ts'
import { plainDiff } from '../program/diff-options.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'

/** How one file differs. */
export interface FileDiff {
  /** Its path; as git quotes it if it has unusual characters. */
  path: string
  /** Lines as git writes them, from the first hunk, or its sentence about binary files. */
  lines: string[]
}

/** The differences between two commits, up to a number of bytes. */
export interface Diff {
  files: FileDiff[]
  /** Whether there are more differences than were read. */
  isCut: boolean
}

/** Maximum bytes of differences. */
const maxDiffBytes = 256 * 1024

/** Larger files count as binary: comparing them takes long, and the result is too long to read. */
const largest = '-c core.bigFileThreshold=512k'.split(' ')
const plain = [...plainDiff, '--no-renames', '--no-prefix', '--full-index']

/**
 * How the files of a commit differ from those of another one, or only the file at `path`; `before` undefined: all files
 * are new. Faults: those of git.
 */
export async function readDiff(
  { git, directory }: OpenRepository,
  { before, after, path }: { before: string | undefined; after: string; path?: string },
): Promise<GitOutcome<Diff>> {
  if (![after, before ?? after].every(isObjectId)) return fault('name', `not object ids: ${before} ${after}`)
  const compared = before === undefined ? ['--root', '--no-commit-id', after] : [before, after]
  const only = path === undefined ? [] : [`:(literal)${path}`]
  const command = [...largest, 'diff-tree', '-r', '-p', ...plain, ...compared, '--', ...only]
  const read = await git.run(directory, command, { maxBytes: maxDiffBytes, truncate: true })
  if (!read.ok) return read
  return done({ files: filesOf(read.value.toString('utf8')), isCut: read.value.length >= maxDiffBytes })
}

/** The head of a file; lines of its content begin with a space, a sign or a backslash. */
const head = 'diff --git '

function filesOf(output: string): FileDiff[] {
  const files: FileDiff[] = []
  for (const line of output.split('\n').slice(0, -1)) {
    const file = files.at(-1)
    if (line.startsWith(head)) files.push({ path: pathOf(line.slice(head.length)), lines: [] })
    else if (file && (file.lines.length > 0 || /^(?:@@|Binary files)/.test(line))) file.lines.push(line)
  }
  return files
}

/** The line has the path twice, with a space between. */
const pathOf = (twice: string) => twice.slice(0, (twice.length - 1) / 2)
