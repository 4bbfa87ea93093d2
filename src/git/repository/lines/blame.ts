import { done } from '../../../common/outcome.ts'
import { isObjectId, isStoredPath } from '../../program/names.ts'
import { fault, type GitOutcome } from '../../program/outcome.ts'
import type { KnownRepository } from '../cache/objects.ts'
import { unquoted } from '../diff.ts'
import { objectsNamed, readObject } from '../objects.ts'
import type { PathInCommit } from '../revisions.ts'

/** The commit that brought a line, and what it is shown by. */
interface BlamedCommit {
  id: string
  author: string
  /** RFC 3339. */
  at: string
  subject: string
}

/** Lines one after another that one commit brought. */
interface BlamedLines {
  commit: BlamedCommit
  /** The number of the first one, from 1. */
  first: number
  count: number
  /** The file as it was before that commit; undefined if the commit made it. */
  before: Pick<PathInCommit, 'commit' | 'path'> | undefined
}

/** How long git may work, in milliseconds, and bytes of what it says about a file. */
const maximum = { milliseconds: 10_000, bytes: 8 * 1024 * 1024 }

/**
 * Which commits brought the lines of a file, in the order of the lines. `ignored`: commits whose changes count as those of
 * the commits before them. Faults: name; those of git.
 */
export async function blame(
  { git, directory }: KnownRepository,
  { commit, path }: Pick<PathInCommit, 'commit' | 'path'>,
  ignored: readonly string[] = [],
): Promise<GitOutcome<BlamedLines[]>> {
  if (![commit, ...ignored].every(isObjectId) || !isStoredPath(path))
    return fault('name', `not object ids and a path: ${commit} ${path}`)
  // The empty file takes the place of one that the configuration of a repository may name.
  const without = ['--ignore-revs-file=', ...ignored.map((id) => `--ignore-rev=${id}`)]
  const command = ['blame', '--incremental', '--encoding=UTF-8', ...without, commit, '--', path]
  const { milliseconds, bytes: maxBytes } = maximum
  const read = await git.run(directory, command, { kind: 'text', milliseconds, maxBytes })
  return read.ok ? done(joined(entriesIn(read.value.toString('utf8')))) : read
}

/**
 * Parses git's entries, each from a line with an id and numbers to one with the name of the file. What the commit says
 * stands in its first entry only.
 */
function entriesIn(output: string): BlamedLines[] {
  const commits = new Map<string, BlamedCommit>()
  const entries: BlamedLines[] = []
  for (const line of output.split('\n')) {
    const [word = '', ...rest] = line.split(' ')
    const text = rest.join(' ')
    const entry = entries.at(-1)
    if (isObjectId(word)) {
      const commit = commits.get(word) ?? { id: word, author: '', at: '', subject: '' }
      commits.set(word, commit)
      entries.push({ commit, first: Number(rest[1]), count: Number(rest[2]), before: undefined })
    } else if (!entry) continue
    else if (word === 'author') entry.commit.author = text.toWellFormed()
    else if (word === 'author-time') entry.commit.at = timeOf(Number(text))
    else if (word === 'summary') entry.commit.subject = text.toWellFormed()
    else if (word === 'previous')
      entry.before = { commit: rest[0] ?? '', path: unquoted(rest.slice(1).join(' ')) }
  }
  return entries
}

/** "" for a time that the calendar does not have. */
const timeOf = (seconds: number) => (Math.abs(seconds) < 8e12 ? new Date(seconds * 1000).toISOString() : '')

/** In the order of the lines; those of one commit that follow each other are one. */
function joined(entries: readonly BlamedLines[]): BlamedLines[] {
  const all: BlamedLines[] = []
  for (const entry of [...entries].sort((one, other) => one.first - other.first)) {
    const last = all.at(-1)
    if (last?.commit === entry.commit) last.count += entry.count
    else all.push({ ...entry })
  }
  return all
}

/** Where a repository names commits that no line is attributed to, such as those that only format. */
const ignoredFile = '.git-blame-ignore-revs'

/** How many of these commits count, and bytes of the file that are read. */
const maxIgnored = { commits: 500, bytes: 64 * 1024 }

/** The ids of commits that the file `.git-blame-ignore-revs` of a commit names, as far as there are such. Faults: those of git. */
export async function ignoredIn(repository: KnownRepository, commit: string): Promise<GitOutcome<string[]>> {
  const file = await readObject(repository, `${commit}:${ignoredFile}`, maxIgnored.bytes)
  if (!file.ok) return file
  if (file.value?.type !== 'blob') return done([])
  const words = file.value.content.toString('latin1').split('\n')
  const ids = words.map((line) => line.split('#', 1)[0]?.trim() ?? '').filter(isObjectId)
  const named = [...new Set(ids)].slice(0, maxIgnored.commits)
  const objects = await objectsNamed(repository, named)
  return objects.ok ? done(named.filter((_, at) => objects.value[at]?.type === 'commit')) : objects
}
