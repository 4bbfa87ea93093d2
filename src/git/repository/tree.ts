import type { OpenRepository } from '../program/git.ts'
import { isObjectId, isZeroId } from '../program/names.ts'
import { done, fault, type GitOutcome } from '../program/outcome.ts'

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
 * Regular files of a commit, or below these folders of it, sorted by path, without links and submodules. `truncate`: of
 * some hundred thousand files the first ones. Faults: those of git.
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
