import type { OpenRepository } from '../program/git.ts'
import { isBranchName, isObjectId, isTreePath } from '../program/names.ts'
import { done, fault, type GitOutcome } from '../program/outcome.ts'

/** An object of a repository. */
export interface GitObject {
  id: string
  type: 'commit' | 'tag' | 'tree' | 'blob'
  /** Bytes. */
  size: number
}

const described = /^([0-9a-f]{40}|[0-9a-f]{64}) (commit|tag|tree|blob) (\d+)$/

/**
 * The objects with these names (gitrevisions(7)), in their order; undefined where there is none. The caller must have
 * checked the parts of each name with `names.ts`. Faults: those of git.
 */
async function objectsNamed(
  { git, directory }: OpenRepository,
  names: readonly string[],
  options: readonly string[] = [],
): Promise<GitOutcome<(GitObject | undefined)[]>> {
  const command = ['cat-file', '--batch-check', ...options]
  const read = await git.run(directory, command, { input: `${names.join('\n')}\n` })
  if (!read.ok) return read
  const lines = read.value.toString('utf8').split('\n')
  return done(names.map((_, at) => objectOf(lines[at] ?? '')))
}

function objectOf(line: string): GitObject | undefined {
  const [, id, type, size] = described.exec(line) ?? []
  return id === undefined ? undefined : { id, type: type as GitObject['type'], size: Number(size) }
}

/** Names with more segments than this are not looked for: each beginning is one more question. */
const maxSegments = 30

/** A commit, and a path in it ("" is its root). */
export interface PathInCommit {
  commit: string
  /** The short name of the branch or tag. */
  ref: string
  path: string
}

/**
 * Divides `main/docs/a.md` into a branch (or tag) and a path: names contain slashes, but no name is the beginning of
 * another one up to a slash. Undefined if no ref has such a name. Faults: those of git.
 */
export async function divideRefPath(
  repository: OpenRepository,
  kind: 'heads' | 'tags',
  text: string,
): Promise<GitOutcome<PathInCommit | undefined>> {
  const segments = text.split('/')
  const names = segments
    .slice(0, maxSegments)
    .map((_, at) => segments.slice(0, at + 1).join('/'))
    .filter(isBranchName)
  if (names.length === 0) return done(undefined)
  const found = await objectsNamed(
    repository,
    names.map((name) => `refs/${kind}/${name}^{commit}`),
  )
  if (!found.ok) return found
  const at = found.value.findIndex((object) => object?.type === 'commit')
  const [ref, commit] = [names[at], found.value[at]]
  if (ref === undefined || !commit) return done(undefined)
  return done({ commit: commit.id, ref, path: text.slice(ref.length + 1) })
}

/**
 * The commit that an id, or at least seven digits of one, leads to, through a tag object if necessary; undefined if
 * none or more than one. A branch or tag whose name looks like an id does not count. Faults: those of git.
 */
export async function commitOfId(
  repository: OpenRepository,
  id: string,
): Promise<GitOutcome<string | undefined>> {
  if (!/^[0-9a-f]{7,64}$/.test(id)) return done(undefined)
  const ids = isObjectId(id) ? done([id]) : await objectsBeginningWith(repository, id)
  if (!ids.ok || ids.value.length === 0) return ids.ok ? done(undefined) : ids
  const found = await objectsNamed(
    repository,
    ids.value.map((each) => `${each}^{commit}`),
  )
  if (!found.ok) return found
  const commits = new Set(found.value.flatMap((object) => object?.id ?? []))
  const [commit] = commits
  return done(commits.size === 1 ? commit : undefined)
}

/** The ids of objects that begin with these digits. Faults: those of git. */
async function objectsBeginningWith(
  { git, directory }: OpenRepository,
  digits: string,
): Promise<GitOutcome<string[]>> {
  const listed = await git.run(directory, ['rev-parse', `--disambiguate=${digits}`])
  return listed.ok ? done(listed.value.toString('latin1').split('\n').filter(isObjectId)) : listed
}

/**
 * The file or folder at a path of a commit ("" is its root); undefined if there is none. `throughLinks`: that to which
 * the symbolic links of the path lead; undefined if they lead out of the commit or in a circle. Faults: those of git.
 */
export async function objectAt(
  repository: OpenRepository,
  commit: string,
  file: string,
  { throughLinks = false }: { throughLinks?: boolean } = {},
): Promise<GitOutcome<GitObject | undefined>> {
  if (!isObjectId(commit)) return fault('name', `not an object id: ${commit}`)
  if (file !== '' && !isTreePath(file)) return done(undefined)
  // Git answers a link that leads nowhere with more than one line, so only one name can be asked for at once.
  const found = await objectsNamed(
    repository,
    [`${commit}:${file}`],
    throughLinks ? ['--follow-symlinks'] : [],
  )
  return found.ok ? done(found.value[0]) : found
}

/** An entry of a folder. */
export interface FolderEntry {
  name: string
  /** What it is; `link` is a symbolic link, `module` the commit of another repository. */
  kind: 'folder' | 'file' | 'link' | 'module'
  id: string
  /** Bytes; undefined unless it is a file or link. */
  size: number | undefined
}

const entryLine = /^(\d{6}) (?:blob|tree|commit) ([0-9a-f]+) +(\d+|-)\t(.+)$/s
const kinds: Readonly<Record<string, FolderEntry['kind']>> = {
  '040000': 'folder',
  '120000': 'link',
  '160000': 'module',
}

/** Maximum bytes of a list of entries; entries beyond that are left out. */
const maxListBytes = 1024 * 1024

/** The entries of a folder by the id of its tree: folders first, then by name. Faults: those of git. */
export async function entriesOfTree(
  { git, directory }: OpenRepository,
  tree: string,
): Promise<GitOutcome<FolderEntry[]>> {
  if (!isObjectId(tree)) return fault('name', `not an object id: ${tree}`)
  const options = { maxBytes: maxListBytes, truncate: true }
  const listed = await git.run(directory, ['ls-tree', '-z', '-l', tree], options)
  if (!listed.ok) return listed
  // The last one is empty or incomplete.
  const entries = listed.value.toString('utf8').split('\0').slice(0, -1).flatMap(entryOf)
  const isFolder = ({ kind }: FolderEntry) => kind === 'folder'
  return done([...entries.filter(isFolder), ...entries.filter((entry) => !isFolder(entry))])
}

function entryOf(line: string): FolderEntry[] {
  const [, mode = '', id, size = '', name] = entryLine.exec(line) ?? []
  if (id === undefined || name === undefined) return []
  return [{ name, kind: kinds[mode] ?? 'file', id, size: size === '-' ? undefined : Number(size) }]
}
