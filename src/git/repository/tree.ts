import type { OpenRepository } from '../program/git.ts'
import { isObjectId, isPushableRef, isZeroId } from '../program/names.ts'
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

/** The contents of objects, by id; missing objects are left out. Faults: those of git. */
export async function readBlobs(
  { git, directory }: OpenRepository,
  ids: readonly string[],
  maxBytes: number,
): Promise<GitOutcome<Map<string, Buffer>>> {
  if (ids.length === 0) return done(new Map())
  if (!ids.every(isObjectId)) return fault('name', 'not object ids')
  const read = await git.run(directory, ['cat-file', '--batch'], { input: `${ids.join('\n')}\n`, maxBytes })
  return read.ok ? done(blobsOf(read.value)) : read
}

/** Parses git's output: for each object a line with its id, type and size, its content, and a line feed. */
function blobsOf(output: Buffer): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>()
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at)
    if (end < 0) break
    const [id = '', type, size] = output.toString('latin1', at, end).split(' ')
    const start = end + 1
    at = type === 'missing' ? start : start + Number(size) + 1
    if (type === 'blob') blobs.set(id, output.subarray(start, at - 1))
  }
  return blobs
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
 * The commit that a ref points to, through a tag object if necessary; undefined if there is no such ref. Faults: those
 * of git.
 */
export async function resolveRef(
  { git, directory }: OpenRepository,
  ref: string,
): Promise<GitOutcome<string | undefined>> {
  if (!isPushableRef(ref)) return done(undefined)
  const format = '--format=%(objectname) %(*objectname) %(refname)'
  const read = await git.run(directory, ['for-each-ref', format, '--', ref])
  if (!read.ok) return read
  // The pattern also matches refs in a folder of that name.
  const line = read.value
    .toString('utf8')
    .split('\n')
    .find((each) => each.endsWith(` ${ref}`))
  const [id, peeled] = line?.split(' ') ?? []
  return done(peeled || id)
}
