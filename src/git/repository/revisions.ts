import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isBranchName, isObjectId, isPushableRef, isStoredPath } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { type GitObject, objectOf } from '../program/reader.ts'
import { isLine, objectsNamed, objectsOnDisk } from './objects.ts'
import { entryInTree } from './tree.ts'

/** Maximum segments of a name of a ref: each segment takes one more question to git. */
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
  const objects = await objectsNamed(
    repository,
    names.map((name) => `refs/${kind}/${name}^{commit}`),
  )
  if (!objects.ok) return objects
  const at = objects.value.findIndex((object) => object?.type === 'commit')
  const ref = names[at]
  if (ref === undefined) return done(undefined)
  const commit = await resolveRef(repository, `refs/${kind}/${ref}`)
  if (!commit.ok || commit.value === undefined) return commit.ok ? done(undefined) : commit
  return done({ commit: commit.value, ref, path: text.slice(ref.length + 1) })
}

/**
 * The commit that a branch or tag (full name) points to, through a tag object if necessary; undefined if there is no
 * such ref. Faults: those of git.
 */
export const resolveRef = (
  repository: OpenRepository,
  ref: string,
): Promise<GitOutcome<string | undefined>> => refTarget(repository, ref, '^{commit}')

/** The id of the object that a branch or tag (full name) points to; undefined if there is no such ref. Faults: those of git. */
export const objectOfRef = (
  repository: OpenRepository,
  ref: string,
): Promise<GitOutcome<string | undefined>> => refTarget(repository, ref, '')

async function refTarget(
  repository: OpenRepository,
  ref: string,
  peeling: '' | '^{commit}',
): Promise<GitOutcome<string | undefined>> {
  if (!isPushableRef(ref)) return done(undefined)
  // Git takes `refs/heads/a` for the second or third one if the first is missing (gitrevisions(7)).
  const names = ['', 'refs/tags/', 'refs/heads/'].map((before) => `${before}${ref}${peeling}`)
  const objects = await objectsNamed(repository, names)
  if (!objects.ok) return objects
  const [named, ...others] = objects.value
  if (named === undefined || others.every((other) => other === undefined)) return done(named?.id)
  const listed = await listedRef(repository, ref)
  if (!listed.ok) return listed
  const { id, peeled } = listed.value
  return done(peeling === '' ? id : peeled || id)
}

/** A commit, and the ref that names it: `ref` is the short name of a branch or tag, or the id. */
export interface Revision extends Pick<PathInCommit, 'commit' | 'ref'> {
  kind: 'branch' | 'tag' | 'commit'
}

/**
 * The commit of a name: a branch, a tag, or the id of a commit or its first digits, in this order. The name of a branch or
 * tag may be full. Undefined if there is none. Faults: those of git.
 */
export async function revisionOf(
  repository: OpenRepository,
  name: string,
): Promise<GitOutcome<Revision | undefined>> {
  const [, folder, rest] = /^refs\/(heads|tags)\/(.+)$/s.exec(name) ?? []
  const ref = rest ?? name
  for (const [kind, prefix] of [
    ['branch', 'heads'],
    ['tag', 'tags'],
  ] as const) {
    if (folder !== undefined && folder !== prefix) continue
    const commit = await resolveRef(repository, `refs/${prefix}/${ref}`)
    if (!commit.ok) return commit
    if (commit.value !== undefined) return done({ commit: commit.value, ref, kind })
  }
  const commit = await commitOfId(repository, name)
  if (!commit.ok || commit.value === undefined) return commit.ok ? done(undefined) : commit
  return done({ commit: commit.value, ref: commit.value, kind: 'commit' })
}

/** The objects to which a ref points in git's list. */
async function listedRef(
  { git, directory }: OpenRepository,
  ref: string,
): Promise<GitOutcome<{ id: string | undefined; peeled: string | undefined }>> {
  const format = '--format=%(objectname) %(*objectname) %(refname)'
  const read = await git.run(directory, ['for-each-ref', format, '--', ref])
  if (!read.ok) return read
  // The pattern also matches refs in a folder of that name.
  const line = read.value
    .toString('utf8')
    .split('\n')
    .find((each) => each.endsWith(` ${ref}`))
  const [id, peeled] = line?.split(' ') ?? []
  return done({ id, peeled })
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
  const objects = await objectsOnDisk(
    repository,
    ids.value.map((each) => `${each}^{commit}`),
  )
  if (!objects.ok) return objects
  const commits = new Set(objects.value.flatMap((object) => object?.id ?? []))
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
 * The file or folder at a path of a commit ("" is its root); undefined if there is none. `throughLinks`: follows symbolic
 * links in the path; undefined if they lead out of the commit or in a circle. Faults: those of git.
 */
export async function objectAt(
  repository: OpenRepository,
  commit: string,
  file: string,
  { throughLinks = false }: { throughLinks?: boolean } = {},
): Promise<GitOutcome<GitObject | undefined>> {
  if (!isObjectId(commit)) return fault('name', `not an object id: ${commit}`)
  if (file !== '' && !isStoredPath(file)) return done(undefined)
  if (!isLine(file)) return objectInLines(repository, commit, file)
  if (throughLinks) return objectThroughLinks(repository, `${commit}:${file}`)
  const objects = await objectsNamed(repository, [`${commit}:${file}`])
  return objects.ok ? done(objects.value[0]) : objects
}

/** An object whose path the processes that stay open cannot be asked for: they take a name by line. Few files have such. */
async function objectInLines(
  repository: OpenRepository,
  commit: string,
  file: string,
): Promise<GitOutcome<GitObject | undefined>> {
  const entry = await entryInTree(repository, commit, file)
  if (!entry.ok || !entry.value) return entry.ok ? done(undefined) : entry
  const objects = await objectsNamed(repository, [entry.value.id])
  return objects.ok ? done(objects.value[0]) : objects
}

/** No process stays open for this: few files are links. */
async function objectThroughLinks(
  { git, directory }: OpenRepository,
  name: string,
): Promise<GitOutcome<GitObject | undefined>> {
  const command = ['cat-file', '--batch-check', '--follow-symlinks']
  const read = await git.run(directory, command, { input: `${name}\n` })
  return read.ok ? done(objectOf(read.value.toString('utf8').split('\n')[0] ?? '')) : read
}
