import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId, isStoredPath } from '../program/names.ts'
import { fault, type GitOutcome, incomplete } from '../program/outcome.ts'
import { objectsNamed, readObject } from './objects.ts'
import { objectAt } from './revisions.ts'
import { entryInTree } from './tree.ts'
import { entriesOfObject, folderMode } from './tree-object.ts'

/** An entry of a tree object. */
export interface TreeEntry {
  name: string
  /** What it is; `link` is a symbolic link, `module` the commit of another repository. */
  kind: 'folder' | 'file' | 'link' | 'module'
  /** Six octal digits: `100644`. */
  mode: string
  id: string
}

/** An entry of a folder. */
export interface FolderEntry extends Pick<TreeEntry, 'name' | 'kind' | 'id'> {
  /** Bytes; undefined unless it is a file or link. */
  size: number | undefined
}

/** The kinds of entries by their modes; entries of any other mode are files. */
export const kinds: Readonly<Record<string, TreeEntry['kind']>> = {
  [folderMode]: 'folder',
  '120000': 'link',
  '160000': 'module',
}

/** Maximum bytes of a tree object that are read, some ten thousand entries; later ones are left out. */
export const maxTreeBytes = 512 * 1024

/** The entries of a tree by its id or that of a commit, in the order of git. Faults: those of git; failed: no tree. */
export async function readTree(repository: OpenRepository, tree: string): Promise<GitOutcome<TreeEntry[]>> {
  if (!isObjectId(tree)) return fault('name', `not an object id: ${tree}`)
  const read = await readObject(repository, `${tree}^{tree}`, maxTreeBytes)
  if (!read.ok) return read
  if (!read.value) return incomplete(repository.directory, `${tree} is not a readable tree`)
  const entries = entriesOfObject(read.value.content, read.value.id.length / 2)
  return done(
    entries.map(({ mode, name, id }) => ({
      name: name.toString('utf8'),
      kind: kinds[mode] ?? 'file',
      mode,
      id,
    })),
  )
}

/** The entry at a path of a commit, with kind and mode from its folder; undefined if there is none. Faults: those of git. */
export async function entryAt(
  repository: OpenRepository,
  commit: string,
  path: string,
): Promise<GitOutcome<TreeEntry | undefined>> {
  const slash = path.lastIndexOf('/')
  const [folder, name] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)]
  const parent = await objectAt(repository, commit, folder)
  if (!parent.ok) return parent
  if (parent.value?.type !== 'tree' || !isStoredPath(path)) return done(undefined)
  const entries = await readTree(repository, parent.value.id)
  if (!entries.ok) return entries
  const entry = entries.value.find((each) => each.name === name)
  if (entry || parent.value.size <= maxTreeBytes) return done(entry)
  const listed = await entryInTree(repository, parent.value.id, name)
  if (!listed.ok || !listed.value) return listed.ok ? done(undefined) : listed
  const { mode, id } = listed.value
  return done({ name, kind: kinds[mode] ?? 'file', mode, id })
}

/** The entries of a folder by the id of its tree: folders first, then by name. Faults: those of `readTree`. */
export async function entriesOfTree(
  repository: OpenRepository,
  tree: string,
): Promise<GitOutcome<FolderEntry[]>> {
  const read = await readTree(repository, tree)
  if (!read.ok) return read
  const [folders, others] = [true, false].map((isFolder) =>
    read.value.filter(({ kind }) => (kind === 'folder') === isFolder),
  )
  const entries = [...(folders ?? []), ...(others ?? [])]
  const blobs = await objectsNamed(
    repository,
    entries.filter(isBlob).map(({ id }) => id),
  )
  if (!blobs.ok) return blobs
  const sizes = new Map(blobs.value.map((blob) => [blob?.id, blob?.size]))
  return done(entries.map(({ name, kind, id }) => ({ name, kind, id, size: sizes.get(id) })))
}

const isBlob = ({ kind }: TreeEntry) => kind === 'file' || kind === 'link'
