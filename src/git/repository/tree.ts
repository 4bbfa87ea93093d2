import { done, failed } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId, isZeroId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'

/** A file of a commit. */
export interface TreeFile {
  path: string
  /** Object id of its content. */
  id: string
  /** Bytes. */
  size: number
}

const fileLine = /^100(?:644|755|664) blob ([0-9a-f]+) +(\d+)\t(.+)$/s

/**
 * Regular files of a commit, or below these folders of it, sorted by path, without links and submodules. `truncate`: only
 * the first hundred thousand or so. Faults: those of git.
 */
export async function listFiles(
  { git, directory }: OpenRepository,
  commit: string,
  { folders = [], truncate = false }: { folders?: readonly string[]; truncate?: boolean },
): Promise<GitOutcome<TreeFile[]>> {
  if (!isObjectId(commit)) return fault('name', `not an object id: ${commit}`)
  const listing = ['ls-tree', '-r', '-z', '-l', '--full-tree', commit, '--', ...folders]
  const listed = await git.run(directory, listing, { truncate })
  if (!listed.ok) return listed
  // The last one is empty or incomplete.
  return done(listed.value.toString('utf8').split('\0').slice(0, -1).flatMap(fileOf))
}

function fileOf(line: string): TreeFile[] {
  const [, id, size, path] = fileLine.exec(line) ?? []
  return id === undefined || path === undefined ? [] : [{ path, id, size: Number(size) }]
}

/** Maximum bytes of a list of paths. */
const maxPathBytes = 8 * 1024 * 1024

/**
 * The paths of all files, links and submodules of a commit in the order of git. `isCut`: whether there are more than were
 * read. Faults: those of git.
 */
export async function listPaths(
  { git, directory }: OpenRepository,
  commit: string,
): Promise<GitOutcome<{ paths: string[]; isCut: boolean }>> {
  if (!isObjectId(commit)) return fault('name', `not an object id: ${commit}`)
  const listing = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit]
  const listed = await git.run(directory, listing, { maxBytes: maxPathBytes, truncate: true })
  if (!listed.ok) return listed
  // The last one is empty or incomplete.
  const paths = listed.value.toString('utf8').split('\0').slice(0, -1)
  return done({ paths, isCut: listed.value.length >= maxPathBytes })
}

/** Paths that differ between two commits; a rename counts as two. Faults: those of git. */
export async function changedPaths(
  { git, directory }: OpenRepository,
  before: string,
  after: string,
): Promise<GitOutcome<string[]>> {
  if (!isObjectId(before) || !isObjectId(after) || isZeroId(before) || isZeroId(after))
    return fault('name', `not object ids: ${before} ${after}`)
  const shown = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', before, after]
  const read = await git.run(directory, [...shown, '--'], { truncate: true })
  if (!read.ok) return read
  const paths = read.value.toString('utf8').split('\0')
  // The last one is empty or incomplete.
  return done(paths.slice(0, -1))
}

/**
 * Whether a commit has at most this many files, at all of its paths together: a few trees that contain each other name
 * billions. Ends git at the first that is too many. Faults: those of git.
 */
export async function hasFewFiles(
  { git, directory }: OpenRepository,
  commit: string,
  maximum: number,
): Promise<GitOutcome<boolean>> {
  const listing = ['ls-tree', '-r', '--name-only', '--full-tree', commit]
  const listed = await git.stream(directory, listing, { kind: 'text' })
  if (!listed.ok) return listed
  const { stdin, chunks, ended } = listed.value
  stdin.end()
  let files = 0
  await chunks(async (chunk) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) files++
    // Git ends when its output is closed.
    if (files > maximum) throw new Error('enough')
  })
  const { fault } = await ended
  if (files > maximum) return done(false)
  return fault ? failed(fault) : done(true)
}

/** An entry of a tree, or of one below it. */
export interface ListedEntry {
  path: string
  /** Six octal digits: `100644`. */
  mode: string
  type: 'blob' | 'tree' | 'commit'
  id: string
}

/** Maximum bytes of a list of entries; later ones are left out. */
const maxListBytes = 64 * 1024 * 1024

/**
 * Some entries of a tree in the order of git, and the number of all. `recursive`: also those of all trees below it.
 * Faults: those of git.
 */
export async function listTree(
  { git, directory }: OpenRepository,
  tree: string,
  { recursive, skip, count }: { recursive: boolean; skip: number; count: number },
): Promise<GitOutcome<{ entries: ListedEntry[]; total: number }>> {
  if (!isObjectId(tree)) return fault('name', `not an object id: ${tree}`)
  const listing = ['ls-tree', '-z', '--full-tree', ...(recursive ? ['-r', '-t'] : []), tree]
  const listed = await git.run(directory, listing, { maxBytes: maxListBytes, truncate: true })
  if (!listed.ok) return listed
  // The last one is empty or incomplete.
  const lines = listed.value.toString('utf8').split('\0').slice(0, -1)
  return done({ entries: lines.slice(skip, skip + count).flatMap(entryOf), total: lines.length })
}

/** The entry at a path of a commit or tree; undefined if there is none. The path must be valid (`isStoredPath`). Faults: those of git. */
export async function entryInTree(
  { git, directory }: OpenRepository,
  commit: string,
  path: string,
): Promise<GitOutcome<ListedEntry | undefined>> {
  if (!isObjectId(commit)) return fault('name', `not an object id: ${commit}`)
  const listing = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', path]
  const listed = await git.run(directory, listing)
  if (!listed.ok) return listed
  return done(listed.value.toString('utf8').split('\0').flatMap(entryOf)[0])
}

function entryOf(line: string): ListedEntry[] {
  const [, mode, type, id, path] = /^(\d{6}) (blob|tree|commit) ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
  if (mode === undefined || id === undefined || path === undefined) return []
  return [{ path, mode, type: type as ListedEntry['type'], id }]
}
