import { isStoredPath } from '../../../git/program/names.ts'
import { lastChangeOf, lastChangesIn } from '../../../git/repository/cache/last-changes.ts'
import { readCommitObject } from '../../../git/repository/commit.ts'
import { entryAt, readTree, type TreeEntry } from '../../../git/repository/folder.ts'
import { objectsNamed, readBlobs, readObject } from '../../../git/repository/objects.ts'
import { objectAt, type Revision } from '../../../git/repository/revisions.ts'
import { submodulesOf } from '../../../git/repository/submodules.ts'
import { badRequest, found } from '../../../http/route/problem.ts'
import { Limiter } from '../../../limiter/limiter.ts'
import { usageOf } from '../../../limiter/usage.ts'
import { type Code, gitValue } from '../../repos/code.ts'
import { orBusy } from '../or-busy.ts'
import { type ContentsResponse, type EntryFacts, printContents } from './contents.shape.ts'

/** Parts of answers besides the names, ids and sizes of entries. */
export interface Included {
  /** The content of a single file. */
  content?: boolean
  /** The commit that changed an entry last. */
  commit?: boolean
  message?: boolean
  lfs?: boolean
}

/** A revision, and its name in the request. */
export interface RequestedRevision {
  code: Code
  revision: Revision
  ref: string
}

type Change = NonNullable<EntryFacts['change']>

/** Largest content in an answer, in bytes. */
export const maxContent = 10 * 1024 * 1024
/** Maximum bytes of the target of a symbolic link. */
const maxTarget = 4096
/** Maximum bytes of a pointer of Git LFS. */
export const maxPointer = 1024

/**
 * A path as a request has it, without slashes around it; "" is the root.
 * @throws Problem 400
 */
export function requestedPath(param: string): string {
  const path = param.replace(/^\/|\/$/g, '')
  if (path === '' || path === '.') return ''
  if (isStoredPath(path)) return path
  throw badRequest(`path contains a malformed path component [path: ${param}]`)
}

/**
 * An entry by its path; undefined if there is none.
 * @throws Problem 503
 */
export async function contentsOfEntry(
  requested: RequestedRevision,
  path: string,
  included: Included,
): Promise<ContentsResponse | undefined> {
  const { code, revision } = requested
  const entry = gitValue(await entryAt(code, revision.commit, path))
  if (!entry) return undefined
  const needsChange = included.commit || included.message
  const id = needsChange ? gitValue(await lastChangeOf(code, { ...revision, path })) : undefined
  const changes = await changesNamed(code, new Map(id === undefined ? [] : [[entry.name, id]]), included)
  const [printed] = await printEntries(requested, [{ ...entry, path }], { changes, included })
  return printed
}

/**
 * The entries of a folder in the order of git, without their contents; undefined if there is no such folder.
 * @throws Problem 503
 */
export async function contentsOfFolder(
  requested: RequestedRevision,
  path: string,
  included: Included,
): Promise<ContentsResponse[] | undefined> {
  const { code, revision } = requested
  const folder = gitValue(await objectAt(code, revision.commit, path))
  // The object at the root is the commit's tree.
  if (folder?.type !== 'tree') return undefined
  const entries = gitValue(await readTree(code, folder.id))
  const names = entries.map(({ name }) => name)
  const needsChanges = included.commit || included.message
  const ids = needsChanges ? gitValue(await lastChangesIn(code, { ...revision, path }, names)) : new Map()
  const changes = await changesNamed(code, ids, included)
  const placed = entries.map((entry) => ({
    ...entry,
    path: path === '' ? entry.name : `${path}/${entry.name}`,
  }))
  return printEntries(requested, placed, { changes, included: { ...included, content: false } })
}

/** Maximum characters of the messages of commits in one answer. */
const maxMessages = 8 * 1024 * 1024

/**
 * The commits with these ids as entries show them, by the same names. Reads each commit once, and leaves out messages
 * that do not fit.
 */
async function changesNamed(
  code: Code,
  ids: ReadonlyMap<string, string>,
  { commit, message }: Included,
): Promise<ReadonlyMap<string, Change>> {
  const read = await Promise.all(
    [...new Set(ids.values())].map(async (id) => [id, gitValue(await readCommitObject(code, id))] as const),
  )
  const shown = new Map<string, Change>()
  for (const [id, object] of read)
    shown.set(id, {
      ...(commit && { last_commit_sha: id }),
      ...(commit && object?.committer.at && { last_committer_date: object.committer.at }),
      ...(commit && object?.author.at && { last_author_date: object.author.at }),
      ...(message && { last_commit_message: object?.message ?? '' }),
    })
  let left = maxMessages
  return new Map(
    [...ids].map(([name, id]) => {
      const { last_commit_message, ...rest } = shown.get(id) ?? {}
      left -= last_commit_message?.length ?? 0
      return [name, left >= 0 && last_commit_message !== undefined ? { ...rest, last_commit_message } : rest]
    }),
  )
}

type PlacedEntry = TreeEntry & { path: string }

async function printEntries(
  requested: RequestedRevision,
  entries: readonly PlacedEntry[],
  { changes, included }: { changes: ReadonlyMap<string, Change>; included: Included },
): Promise<ContentsResponse[]> {
  const { code, revision } = requested
  const blobs = entries.filter(({ kind }) => kind === 'file' || kind === 'link')
  const heads = gitValue(
    await objectsNamed(
      code,
      blobs.map(({ id }) => id),
    ),
  )
  const sizes = new Map(heads.flatMap((head) => (head ? [[head.id, head.size]] : [])))
  const texts = await smallTexts(code, entries, {
    sizes,
    withFiles: included.lfs === true || included.content === true,
  })
  const hasModules = entries.some(({ kind }) => kind === 'module')
  const modules = hasModules ? gitValue(await submodulesOf(code, revision.commit)) : new Map<string, string>()
  const print = async (entry: PlacedEntry) => {
    const { id, kind, name, path } = entry
    const [size, text] = [sizes.get(id), texts.get(id)]
    const facts: EntryFacts = {
      size,
      change: changes.get(name) ?? {},
      target: kind === 'link' ? text : undefined,
      submodule: kind === 'module' ? modules.get(path) : undefined,
      lfs: kind === 'file' ? pointerIn(text) : undefined,
      content: included.content && kind === 'file' ? await base64Of(code, { id, size }) : undefined,
    }
    return printContents(entry, facts, requested)
  }
  return Promise.all(entries.map(print))
}

/** The targets of links, and files that may be pointers of Git LFS, by id. */
async function smallTexts(
  code: Code,
  entries: readonly TreeEntry[],
  { sizes, withFiles }: { sizes: ReadonlyMap<string, number>; withFiles: boolean },
): Promise<ReadonlyMap<string, string>> {
  const isSmall = ({ kind, id }: TreeEntry) =>
    (kind === 'link' && (sizes.get(id) ?? Infinity) <= maxTarget) ||
    (kind === 'file' && withFiles && (sizes.get(id) ?? Infinity) <= maxPointer)
  const ids = entries.filter(isSmall).map(({ id }) => id)
  const read = gitValue(await readBlobs(code, ids, ids.length * maxTarget))
  return new Map([...read].map(([id, content]) => [id, content.toString('utf8')]))
}

/** The id and size of a file in a pointer of Git LFS; undefined if the text is no pointer. */
export function pointerIn(text = ''): EntryFacts['lfs'] {
  const isPointer = text.startsWith('version https://git-lfs.github.com/spec/v1\n')
  const [, oid] = /^oid sha256:([0-9a-f]{64})$/m.exec(text) ?? []
  const [, size] = /^size (\d{1,15})$/m.exec(text) ?? []
  return isPointer && oid !== undefined && size !== undefined
    ? { lfs_oid: oid, lfs_size: Number(size) }
    : undefined
}

/** Of contents of at least this size, few are in memory at once. */
const large = 512 * 1024
const largeContents = new Limiter({ concurrency: 4, queue: 100, usage: usageOf('large-contents') })

/** A content in base64; undefined if it is too large. @throws Problem 404 it no longer exists, 503 */
export async function base64Of(
  code: Code,
  { id, size = Infinity }: { id: string; size: number | undefined },
): Promise<string | undefined> {
  if (size > maxContent) return undefined
  const read = async () => found(gitValue(await readObject(code, id, maxContent))).content.toString('base64')
  return size < large
    ? read()
    : largeContents.run(read, {}).catch(orBusy('too many large files are being read'))
}
