import { LRUCache } from 'lru-cache'
import { done } from '../../../common/outcome.ts'
import type { OpenRepository } from '../../program/git.ts'
import { isObjectId, isStoredPath } from '../../program/names.ts'
import { fault, type GitOutcome } from '../../program/outcome.ts'
import { entryAt, maxTreeBytes, readTree } from '../folder.ts'
import { isLine } from '../objects.ts'
import { objectAt, type PathInCommit } from '../revisions.ts'
import { walkChanges } from '../walk-changes.ts'
import { lineage } from './lineage.ts'

/** Finds the commits that last changed files and the entries of folders, with a cache: after a push, only its commits are read. */

/** The ids of commits by the names of entries; that of a file has the name "". */
type Changes = ReadonlyMap<string, string>

/** The changes up to a commit. */
interface Known {
  commit: string
  changes: Changes
}

/** By repository, ref and path: the commit of the ref, and the changes up to it. `maxSize` counts names. */
const cache = new LRUCache<string, Known>({
  maxSize: 20_000,
  sizeCalculation: ({ changes }) => changes.size + 1,
})

const keyOf = ({ directory }: OpenRepository, { ref, path }: PathInCommit, isFolder: boolean) =>
  [directory, ref, isFolder ? 'folder' : 'file', path].join('\0')

/**
 * The commits that last changed these entries of a folder ("" is the root), without entries that were last changed very
 * long ago. Faults: those of git.
 */
export const lastChangesIn = (repository: OpenRepository, folder: PathInCommit, names: readonly string[]) =>
  changesOf(repository, folder, new Set(names))

/** The same as far as it is in the cache; undefined if git would have to be asked. */
export function cachedChangesIn(repository: OpenRepository, folder: PathInCommit): Changes | undefined {
  const known = cache.get(keyOf(repository, folder, true))
  return known?.commit === folder.commit ? known.changes : undefined
}

/** The commit that last changed a file; undefined if unknown. Faults: those of git. */
export async function lastChangeOf(
  repository: OpenRepository,
  file: PathInCommit,
): Promise<GitOutcome<string | undefined>> {
  const changes = await changesOf(repository, file, undefined)
  return changes.ok ? done(changes.value.get('')) : changes
}

/** `names`: of the entries of a folder; undefined for a file. */
async function changesOf(
  repository: OpenRepository,
  place: PathInCommit,
  names: ReadonlySet<string> | undefined,
): Promise<GitOutcome<Changes>> {
  if (!isObjectId(place.commit) || (place.path !== '' && !isStoredPath(place.path)))
    return fault('name', `not a commit and path: ${place.commit} ${place.path}`)
  const key = keyOf(repository, place, names !== undefined)
  const before = cache.get(key)
  if (before?.commit === place.commit) return done(before.changes)
  const added = before && (await changesAfter(repository, before.commit, place, names !== undefined))
  const isNear = before && added?.ok && added.value !== undefined
  const read = isNear
    ? done(new Map([...before.changes, ...(added.value ?? [])]))
    : await readChanges(repository, place, { names, before })
  if (!read.ok) return read
  const changes = new Map([...read.value].filter(([name]) => !names || names.has(name)))
  cache.set(key, { commit: place.commit, changes })
  return done(changes)
}

/** Faults: those of git. */
async function readChanges(
  repository: OpenRepository,
  place: PathInCommit,
  { names, before }: { names: ReadonlySet<string> | undefined; before: Known | undefined },
): Promise<GitOutcome<Changes>> {
  if (!names) return readFileChange(repository, place)
  if (!isLine(place.path)) return readEachChange(repository, place, names)
  const newer = before && (await walkChanges(repository, place, names, before.commit))
  if (before && newer?.ok) {
    const { changes, left } = newer.value
    const isKnown = [...left.keys()].every((commit) => commit === before.commit)
    if (isKnown) return done(new Map([...before.changes, ...changes]))
  }
  const all = await walkChanges(repository, place, names)
  return all.ok ? done(all.value.changes) : all
}

/** Maximum entries of a folder whose path is no line. */
const maxEach = 100

/** The changes of a folder for whose path git cannot be asked by line. */
async function readEachChange(
  repository: OpenRepository,
  { path, ...place }: PathInCommit,
  names: ReadonlySet<string>,
): Promise<GitOutcome<Changes>> {
  const changes = new Map<string, string>()
  for (const name of [...names].slice(0, maxEach)) {
    const read = await readFileChange(repository, { ...place, path: `${path}/${name}` })
    if (!read.ok) return read
    const id = read.value.get('')
    if (id !== undefined) changes.set(name, id)
  }
  return done(changes)
}

async function readFileChange(
  { git, directory }: OpenRepository,
  { commit, path }: PathInCommit,
): Promise<GitOutcome<Changes>> {
  const command = ['--literal-pathspecs', 'rev-list', '--max-count=1', commit, '--', path]
  const read = await git.run(directory, command)
  if (!read.ok) return read
  const id = read.value.toString('latin1').trim()
  return done(new Map(id === '' ? [] : [['', id]]))
}

/** Changes of the commits after an ancestor, without a run of git; undefined if they are many, or merges. Faults: those of git. */
async function changesAfter(
  repository: OpenRepository,
  ancestor: string,
  { commit, path }: PathInCommit,
  isFolder: boolean,
): Promise<GitOutcome<Changes | undefined>> {
  const added = await lineage(repository, commit, ancestor)
  if (!added.ok || !added.value) return added.ok ? done(undefined) : added
  const changes = new Map<string, string>()
  const read = (id: string) => (isFolder ? entriesAt(repository, id, path) : placedAt(repository, id, path))
  let after = await read(commit)
  for (const { id, parents } of added.value) {
    const before = await read(parents[0] ?? '')
    if (!after.ok) return after
    if (!before.ok) return before
    if (!after.value || !before.value) return done(undefined)
    const all = new Set([...after.value.keys(), ...before.value.keys()])
    for (const name of all)
      if (!changes.has(name) && after.value.get(name) !== before.value.get(name)) changes.set(name, id)
    after = before
  }
  return done(changes)
}

/** Modes and ids by name. */
type Placed = ReadonlyMap<string, string>

/** The entry at a path, by the name "". */
async function placedAt(
  repository: OpenRepository,
  commit: string,
  path: string,
): Promise<GitOutcome<Placed>> {
  const entry = await entryAt(repository, commit, path)
  if (!entry.ok) return entry
  return done(new Map(entry.value ? [['', `${entry.value.mode} ${entry.value.id}`]] : []))
}

/** The entries of a folder; undefined if there are too many. */
async function entriesAt(
  repository: OpenRepository,
  commit: string,
  path: string,
): Promise<GitOutcome<Placed | undefined>> {
  const folder = await objectAt(repository, commit, path)
  if (!folder.ok) return folder
  if (folder.value?.type !== 'tree') return done(new Map())
  if (folder.value.size > maxTreeBytes) return done(undefined)
  const entries = await readTree(repository, folder.value.id)
  return entries.ok
    ? done(new Map(entries.value.map(({ name, mode, id }) => [name, `${mode} ${id}`])))
    : entries
}
