import { LRUCache } from 'lru-cache'
import { done } from '../../outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId, isTreePath } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { lineage } from './cache/lineage.ts'
import { entryAt, maxTreeBytes, readTree } from './folder.ts'
import { objectAt, type PathInCommit } from './revisions.ts'

/** Finds the commits that last changed files and the entries of folders, with a cache: after a push, only its commits are read. */

/** The ids of commits by the names of entries; that of a file has the name "". */
type Changes = ReadonlyMap<string, string>

/** By repository, ref and path: the commit of the ref, and the changes up to it. `maxSize` counts names. */
const cache = new LRUCache<string, { commit: string; changes: Changes }>({
  maxSize: 20_000,
  sizeCalculation: ({ changes }) => changes.size + 1,
})

/** Maximum commits that are read; entries that were last changed before these have no commit. */
const maxCommits = 50_000
/** Maximum bytes of their list, likewise. */
const maxListBytes = 16 * 1024 * 1024

/**
 * The commits that last changed these entries of a folder ("" is the root), without entries that were last changed very
 * long ago. Faults: those of git.
 */
export const lastChangesIn = (repository: OpenRepository, folder: PathInCommit, names: readonly string[]) =>
  changesOf(repository, folder, new Set(names))

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
  if (!isObjectId(place.commit) || (place.path !== '' && !isTreePath(place.path)))
    return fault('name', `not a commit and path: ${place.commit} ${place.path}`)
  const key = [repository.directory, place.ref, names ? 'folder' : 'file', place.path].join('\0')
  const before = cache.get(key)
  if (before?.commit === place.commit) return done(before.changes)
  const store = (all: Iterable<[string, string]>) => {
    const changes = new Map([...all].filter(([name]) => !names || names.has(name)))
    cache.set(key, { commit: place.commit, changes })
    return done(changes)
  }
  const isFolder = names !== undefined
  const added = before && (await changesAfter(repository, before.commit, place, isFolder))
  if (before && added?.ok && added.value) return store([...before.changes, ...added.value])
  const newer = before && (await readChanges(repository, place, { isFolder, after: before.commit }))
  if (before && newer?.ok && newer.value) return store([...before.changes, ...newer.value])
  const all = await readChanges(repository, place, { isFolder })
  return all.ok ? store(all.value ?? []) : all
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

/**
 * Reads the history of a path; with `after`, only commits that are not reachable from that one, or undefined if that one
 * has changes of the path that `place` does not have. Faults: those of git.
 */
async function readChanges(
  { git, directory }: OpenRepository,
  { commit, path }: PathInCommit,
  { isFolder, after }: { isFolder: boolean; after?: string },
): Promise<GitOutcome<Changes | undefined>> {
  const range = after === undefined ? [commit] : ['--left-right', `${after}...${commit}`]
  const count = after === undefined && !isFolder ? 1 : maxCommits
  // `-c`: a merge changes only paths that differ from all of its parents.
  const shown = ['-z', '-c', '--name-only', '--no-color', '--no-ext-diff', '--format=%x00%m%H']
  const command = ['--literal-pathspecs', 'log', ...shown, `--max-count=${count}`, ...range, '--']
  const read = await git.run(directory, path === '' ? command : [...command, path], {
    maxBytes: maxListBytes,
    truncate: true,
  })
  return read.ok ? done(changesIn(read.value.toString('utf8'), { path, isFolder })) : read
}

/**
 * Parses git's output: an empty token, mark and id of a commit, and the paths that it changed, the first of them after a
 * line end. No path is empty, so none can be taken for a commit. The last token is empty or incomplete.
 */
function changesIn(output: string, { path, isFolder }: { path: string; isFolder: boolean }) {
  const changes = new Map<string, string>()
  const start = path === '' ? 0 : path.length + 1
  let [commit, last, isFirst] = ['', '', false]
  for (const token of output.split('\0').slice(0, -1)) {
    if (token !== '' && last === '') {
      if (token.startsWith('<')) return undefined
      commit = token.slice(1)
      if (!isFolder && !changes.has('')) changes.set('', commit)
      isFirst = true
    } else if (token !== '' && isFolder) {
      const below = token.slice(start + (isFirst ? 1 : 0))
      const name = below.slice(0, below.includes('/') ? below.indexOf('/') : undefined)
      if (!changes.has(name)) changes.set(name, commit)
      isFirst = false
    }
    last = token
  }
  return changes
}
