import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { fault, type GitOutcome, incomplete } from '../program/outcome.ts'
import type { Commit } from './history.ts'
import { readObject } from './objects.ts'
import { entriesOfObject, folderMode, type StoredEntry, treeObject } from './tree-object.ts'
import { type NewObject, newObject, type ObjectFormat } from './write-objects.ts'

/** Mode and id of a file, link, submodule or folder. */
export type PlacedEntry = Pick<StoredEntry, 'mode' | 'id'>

type ChangedPaths = Pick<Commit, 'added' | 'removed' | 'modified'>

/** A folder that has been read. The keys are names as bytes (latin1). */
interface Folder {
  /** The id of its tree as it was read; undefined for a new one. */
  id: string | undefined
  entries: Map<string, StoredEntry>
  folders: Map<string, Folder>
}

/** Maximum bytes of a tree object that is changed, more than a million entries. */
const maxTreeBytes = 64 * 1024 * 1024

/**
 * The files of a commit, to be changed: only the folders along changed paths are read and written again. Paths must be
 * valid (`isStoredPath`). Faults of all: those of git; large for a folder with too many entries.
 */
export class TreeEditor {
  readonly #repository: OpenRepository
  readonly #format: ObjectFormat
  readonly #tree: string | undefined
  #root: Folder | undefined
  /** The original entries at the changed paths. */
  readonly #before = new Map<string, PlacedEntry | undefined>()

  /** `tree`: id of the root; absent: there are no files yet. */
  constructor(repository: OpenRepository, format: ObjectFormat, tree: string | undefined) {
    this.#repository = repository
    this.#format = format
    this.#tree = tree
  }

  /**
   * The entry at a path; or an entry above it that is no folder: then `path` is the path of that. Undefined if there is
   * none.
   */
  async find(path: string): Promise<GitOutcome<(PlacedEntry & { path: string }) | undefined>> {
    const segments = path.split('/')
    for (let at = 1; at <= segments.length; at++) {
      const folder = await this.#folder(segments.slice(0, at - 1))
      if (!folder.ok) return folder
      const name = keyOf(segments[at - 1] ?? '')
      const entry = folder.value.entries.get(name)
      const inner = folder.value.folders.get(name)
      if (!entry || (inner && isEmpty(inner))) return done(undefined)
      if (at === segments.length || entry.mode !== folderMode)
        return done({ mode: entry.mode, id: entry.id, path: segments.slice(0, at).join('/') })
    }
    return done(undefined)
  }

  /** Puts an entry at a path, where there is nothing or a file; missing folders are made. */
  put(path: string, entry: PlacedEntry): Promise<GitOutcome<void>> {
    return this.#change(path, entry)
  }

  /** Removes the entry at a path, and folders that become empty. */
  remove(path: string): Promise<GitOutcome<void>> {
    return this.#change(path, undefined)
  }

  async #change(path: string, entry: PlacedEntry | undefined): Promise<GitOutcome<void>> {
    const segments = path.split('/')
    const name = segments.pop() ?? ''
    const folder = await this.#folder(segments)
    if (!folder.ok) return folder
    const { entries, folders } = folder.value
    const before = entries.get(keyOf(name))
    if (!this.#before.has(path)) this.#before.set(path, before && { mode: before.mode, id: before.id })
    folders.delete(keyOf(name))
    if (entry) entries.set(keyOf(name), { mode: entry.mode, id: entry.id, name: Buffer.from(name) })
    else entries.delete(keyOf(name))
    return done(undefined)
  }

  /** The paths that differ, in the order of git. */
  async changes(): Promise<GitOutcome<ChangedPaths>> {
    const paths: ChangedPaths = { added: [], removed: [], modified: [] }
    for (const path of [...this.#before.keys()].sort(byBytes)) {
      const current = await this.find(path)
      if (!current.ok) return current
      const before = fileOf(this.#before.get(path))
      const after = current.value?.path === path ? fileOf(current.value) : undefined
      if (before && after) {
        if (before.id !== after.id || before.mode !== after.mode) paths.modified.push(path)
      } else if (after) paths.added.push(path)
      else if (before) paths.removed.push(path)
    }
    return done(paths)
  }

  /** The id of the changed root, and the trees to write. */
  async finish(): Promise<GitOutcome<{ tree: string; objects: NewObject[] }>> {
    const root = await this.#folder([])
    if (!root.ok) return root
    const objects: NewObject[] = []
    return done({ tree: treeOf(root.value, this.#format, objects), objects })
  }

  /** The folder at a path; a missing one is made. */
  async #folder(segments: readonly string[]): Promise<GitOutcome<Folder>> {
    if (!this.#root) {
      const root = await this.#read(this.#tree)
      if (!root.ok) return root
      this.#root ??= root.value
    }
    let folder = this.#root
    for (const segment of segments) {
      const name = keyOf(segment)
      let inner = folder.folders.get(name)
      if (!inner) {
        const entry = folder.entries.get(name)
        const read = await this.#read(entry?.id)
        if (!read.ok) return read
        inner = read.value
        folder.folders.set(name, inner)
        if (!entry) folder.entries.set(name, { mode: folderMode, id: '', name: Buffer.from(segment) })
      }
      folder = inner
    }
    return done(folder)
  }

  async #read(id: string | undefined): Promise<GitOutcome<Folder>> {
    if (id === undefined) return done({ id, entries: new Map(), folders: new Map() })
    const read = await readObject(this.#repository, id, maxTreeBytes)
    if (!read.ok) return read
    if (read.value?.type !== 'tree')
      return incomplete(this.#repository.directory, `${id} is not a readable tree`)
    if (read.value.content.length < read.value.size) return fault('large', `the tree ${id} is too large`)
    const entries = entriesOfObject(read.value.content, id.length / 2)
    return done({
      id,
      entries: new Map(entries.map((entry) => [entry.name.toString('latin1'), entry])),
      folders: new Map(),
    })
  }
}

const fileOf = (entry: PlacedEntry | undefined) => (entry?.mode === folderMode ? undefined : entry)

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

const keyOf = (segment: string) => Buffer.from(segment).toString('latin1')

/** Git stores no empty folders. */
const isEmpty = ({ entries, folders }: Folder): boolean =>
  [...entries.keys()].every((name) => {
    const inner = folders.get(name)
    return inner !== undefined && isEmpty(inner)
  })

/** The id of the tree of a folder; adds those that are new to `objects`. */
function treeOf(folder: Folder, format: ObjectFormat, objects: NewObject[]): string {
  for (const [name, inner] of folder.folders) {
    const entry = folder.entries.get(name)
    if (!entry || isEmpty(inner)) folder.entries.delete(name)
    else entry.id = treeOf(inner, format, objects)
  }
  const object = newObject(format, 'tree', treeObject(folder.entries.values()))
  if (object.id !== folder.id) objects.push(object)
  return object.id
}
