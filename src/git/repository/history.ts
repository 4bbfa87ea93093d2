import { done } from '../../common/outcome.ts'
import { plainDiff } from '../program/diff-options.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId, isStoredPath, isZeroId } from '../program/names.ts'
import { fault, type GitOutcome, incomplete } from '../program/outcome.ts'
import { type CommitObject, maxMessageLength, readCommitObject } from './commit.ts'

/** A commit, and the paths changed against the first parent; a rename is one removed and one added path. */
export interface Commit extends CommitObject {
  added: string[]
  removed: string[]
  modified: string[]
}

/** The commits of a push. */
export interface Push {
  /** Newest first, at most `maxCommits`. */
  commits: Commit[]
  /** Number of all commits, counted up to `count`. */
  total: number
}

interface Span {
  /** Object id, or zeros to read everything reachable from `after`. */
  before: string
  /** Object id of a commit, or of a tag of one. */
  after: string
  /** Further limits of the range, as arguments of `git rev-list`: commits that are known by other refs. */
  without?: readonly string[]
  /** Maximum commits to read. */
  maxCommits: number
  /** Maximum commits to count. */
  count: number
}

/** Maximum bytes of commit data; commits beyond that are left out. */
const maxLogBytes = 4 * 1024 * 1024
/** Maximum paths listed for one commit. */
const maxPaths = 3000

const format = '--format=%x00%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00'
/** Options of lists of commits that override the configuration of a repository. */
export const plain = [...plainDiff, '--no-renames', '--encoding=UTF-8', '--no-notes']

/** Commits reachable from `after` but not from `before`; none for a deleted ref (zeros after). Faults: those of git. */
export async function readPush(
  repository: OpenRepository,
  { before, after, without = [], maxCommits, count }: Span,
): Promise<GitOutcome<Push>> {
  if (!isObjectId(before) || !isObjectId(after)) return fault('name', `not object ids: ${before} ${after}`)
  if (isZeroId(after)) return done({ commits: [], total: 0 })
  const range = [`${after}^{commit}`, ...(isZeroId(before) ? [] : [`^${before}`]), ...without]
  const shown = ['--name-status', '--diff-merges=first-parent', `--max-count=${maxCommits}`]
  const read = await readLog(repository, [...shown, ...range, '--'])
  if (!read.ok) return read
  const { commits, isCut } = read.value
  const isWhole = commits.length < maxCommits && !isCut
  if (isWhole || commits.length >= count) return done({ commits, total: commits.length })
  const { git, directory } = repository
  const counted = await git.run(directory, ['rev-list', '--count', `--max-count=${count}`, ...range, '--'])
  return counted.ok ? done({ commits, total: Number(counted.value.toString('latin1')) }) : counted
}

/** One commit and the paths it changed. Faults: those of git. */
export async function readCommit(repository: OpenRepository, id: string): Promise<GitOutcome<Commit>> {
  const none = '0'.repeat(id.length)
  const read = await readPush(repository, { before: none, after: id, maxCommits: 1, count: 1 })
  if (!read.ok) return read
  const [commit] = read.value.commits
  return commit ? done(commit) : incomplete(repository.directory, `${id} is not a readable commit`)
}

/** Git knows no time before 1970. */
export const gitTime = (seconds: number): string => `@${Math.max(seconds, 0)} +0000`

/** What commits are searched for, whatever the case. */
export interface CommitSearch {
  /** Texts that are all in the message. */
  words: readonly string[]
  /** Parts of the name or the address, of which one is there, if there are any. */
  authors: readonly string[]
  committers: readonly string[]
  /** When they were committed, from the first second on, or up to it. */
  since?: number | undefined
  until?: number | undefined
  /** Whether the commits of all branches are searched, too. */
  isEverywhere?: boolean
}

/** How long git may search, in milliseconds. */
const maxSearch = 10_000

const argumentsOf = ({ words, authors, committers, since, until }: CommitSearch) => [
  ...['--fixed-strings', '--regexp-ignore-case', '--all-match'],
  ...words.map((word) => `--grep=${word}`),
  ...authors.map((name) => `--author=${name}`),
  ...committers.map((name) => `--committer=${name}`),
  ...(since === undefined ? [] : [`--since=${gitTime(since)}`]),
  ...(until === undefined ? [] : [`--until=${gitTime(until)}`]),
]

interface CommitSpan {
  after: string
  path: string
  skip: number
  maxCommits: number
  /** Absent: all. */
  search?: CommitSearch
}

/**
 * Commits from one backwards, newest first, without their paths; those that change a path, unless it is "". Faults: those
 * of git; name.
 */
export async function listCommits(
  repository: OpenRepository,
  { after, path, skip, maxCommits, search }: CommitSpan,
): Promise<GitOutcome<Commit[]>> {
  if (!isObjectId(after) || (path !== '' && !isStoredPath(path)))
    return fault('name', `not an object id and a path: ${after} ${path}`)
  const shown = ['--no-patch', `--skip=${skip}`, `--max-count=${maxCommits}`]
  const range = [...(search?.isEverywhere ? ['--branches'] : []), after, '--', ...(path === '' ? [] : [path])]
  const command = [...shown, ...(search ? argumentsOf(search) : []), ...range]
  const read = await readLog(repository, command, search && { kind: 'text', milliseconds: maxSearch })
  return read.ok ? done(read.value.commits) : read
}

/** The commits that `git log` lists with these arguments, and whether some may be left out. Faults: those of git. */
async function readLog(
  repository: OpenRepository,
  args: readonly string[],
  limits: { kind?: 'text'; milliseconds?: number } = {},
): Promise<GitOutcome<{ commits: Commit[]; isCut: boolean }>> {
  const log = (messages: string) =>
    repository.git.run(
      repository.directory,
      ['--literal-pathspecs', 'log', ...plain, '-z', format + messages, ...args],
      { ...limits, maxBytes: maxLogBytes, truncate: true },
    )
  const read = await log('%B')
  if (!read.ok || read.value.length < maxLogBytes)
    return read.ok ? done({ commits: commitsOf(read.value), isCut: false }) : read
  // One message may be longer than all that is read.
  const short = await log('')
  if (!short.ok) return short
  const commits = commitsOf(short.value)
  for (const commit of commits) {
    const stored = await readCommitObject(repository, commit.id)
    if (!stored.ok) return stored
    commit.message = stored.value?.message ?? ''
  }
  return done({ commits, isCut: short.value.length >= maxLogBytes })
}

const lists = { A: 'added', D: 'removed', M: 'modified', T: 'modified' } as const

/**
 * Parses git's output: for each commit an empty token, nine fields, then pairs of letter and path. Letters and paths
 * are never empty, so nothing in a message or name can be taken for the next commit. An incomplete last commit is
 * dropped.
 */
function commitsOf(output: Buffer): Commit[] {
  const tokens = output.toString('utf8').split('\0')
  const commits: Commit[] = []
  // The last token is empty or incomplete.
  const end = tokens.length - 1
  for (let at = 0; at + 10 <= end; ) {
    const commit = commitOf(tokens.slice(at + 1, at + 10))
    if (!commit) break
    commits.push(commit)
    at += 10
    for (; at + 1 < end && tokens[at] !== ''; at += 2) addPath(commit, tokens[at] ?? '', tokens[at + 1] ?? '')
  }
  return commits
}

function commitOf(fields: string[]): Commit | undefined {
  const [id, parents, name, email, at, committer, committerEmail, committed, message] = fields
  if (id === undefined || !isObjectId(id) || message === undefined) return undefined
  return {
    id,
    parents: (parents ?? '').split(' ').filter((parent) => parent !== ''),
    author: { name: name ?? '', email: email ?? '', at: inUtcAsZ(at) },
    committer: { name: committer ?? '', email: committerEmail ?? '', at: inUtcAsZ(committed) },
    message: message.slice(0, maxMessageLength).toWellFormed(),
    added: [],
    removed: [],
    modified: [],
  }
}

/** Times in UTC end in `Z` everywhere; older git writes them with an offset. */
const inUtcAsZ = (time = '') => time.replace(/\+00:00$/, 'Z')

function addPath(commit: Commit, letter: string, path: string): void {
  const kind = letter.trim().charAt(0)
  if (kind !== 'A' && kind !== 'D' && kind !== 'M' && kind !== 'T') return
  const listed = commit.added.length + commit.removed.length + commit.modified.length
  if (listed < maxPaths) commit[lists[kind]].push(path)
}
