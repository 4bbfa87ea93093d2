import type { Git } from '../program/git.ts'
import { isObjectId, isPushableRef, isShortId, isZeroId } from '../program/names.ts'
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

/** The plain files below these folders of a commit, sorted by path; links and submodules are left out. Faults: those of git. */
export async function filesBelow(
  git: Git,
  path: string,
  commit: string,
  folders: readonly string[],
): Promise<GitOutcome<TreeFile[]>> {
  if (!isObjectId(commit)) return fault('name', `no object id: ${commit}`)
  const listed = await git.run(path, ['ls-tree', '-r', '-z', '-l', '--full-tree', commit, '--', ...folders])
  if (!listed.ok) return listed
  return done(listed.value.toString('utf8').split('\0').flatMap(fileOf))
}

function fileOf(line: string): TreeFile[] {
  const [, id, size, path] = fileLine.exec(line) ?? []
  return id === undefined || path === undefined ? [] : [{ path, id, size: Number(size) }]
}

/** The contents of objects, by id; those that are not there are left out. Faults: those of git. */
export async function readBlobs(
  git: Git,
  path: string,
  ids: readonly string[],
  most: number,
): Promise<GitOutcome<Map<string, Buffer>>> {
  if (ids.length === 0) return done(new Map())
  if (!ids.every(isObjectId)) return fault('name', 'no object ids')
  const read = await git.run(path, ['cat-file', '--batch'], { input: `${ids.join('\n')}\n`, most })
  return read.ok ? done(blobsOf(read.value)) : read
}

/** Reads what git wrote: for each object a line with its id, type and size, its content, and a line feed. */
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

/** Paths that differ between two commits; a rename is two of them. Faults: those of git. */
export async function changedPaths(
  git: Git,
  path: string,
  before: string,
  after: string,
): Promise<GitOutcome<string[]>> {
  if (!isObjectId(before) || !isObjectId(after) || isZeroId(before) || isZeroId(after))
    return fault('name', `no object ids: ${before} ${after}`)
  const shown = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', before, after]
  const read = await git.run(path, [...shown, '--'], { cut: true })
  if (!read.ok) return read
  const paths = read.value.toString('utf8').split('\0')
  // The last one is empty, or cut off.
  return done(paths.slice(0, -1))
}

/** The commit that a ref leads to; undefined when there is no such ref. Faults: those of git. */
export async function resolveRef(
  git: Git,
  path: string,
  ref: string,
): Promise<GitOutcome<string | undefined>> {
  if (!isPushableRef(ref)) return done(undefined)
  const format = '--format=%(objectname) %(*objectname) %(refname)'
  const read = await git.run(path, ['for-each-ref', format, '--', ref])
  if (!read.ok) return read
  // A pattern is also the name of a folder.
  const line = read.value
    .toString('utf8')
    .split('\n')
    .find((each) => each.endsWith(` ${ref}`))
  const [id, peeled] = line?.split(' ') ?? []
  return done(peeled || id)
}

/**
 * The commit whose id begins like this; undefined when there is none, or more than one. A tag object stands for its
 * commit. Faults: those of git.
 */
export async function resolveShortId(
  git: Git,
  path: string,
  short: string,
): Promise<GitOutcome<string | undefined>> {
  if (!isShortId(short)) return done(undefined)
  const read = await git.run(path, ['cat-file', '--batch-check'], { input: `${short}^{commit}\n` })
  if (!read.ok) return read
  // An id that is missing or ambiguous is answered with those words.
  const [id = '', type] = read.value.toString('latin1').trim().split(' ')
  return done(type === 'commit' && isObjectId(id) ? id : undefined)
}
