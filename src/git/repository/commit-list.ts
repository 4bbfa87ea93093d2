import { LRUCache } from 'lru-cache'
import { done } from '../../common/outcome.ts'
import { largestCompared } from '../program/diff-options.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { lineage } from './cache/lineage.ts'
import type { KnownRepository } from './cache/objects.ts'
import { gitTime, plain } from './history.ts'

/** Selects commits: from one backwards, newest first. */
export interface Selection {
  /** Id of a commit. */
  tip: string
  /** Without the commits that are reachable from this one. */
  not?: string | undefined
  /** Only those that change this path, which must be valid (`isStoredPath`). */
  path?: string | undefined
  /** Only those committed from this time on, or up to it. */
  since?: Date | undefined
  until?: Date | undefined
}

/** Which of the selected commits are listed, and what is compared with their first parents. */
export interface Listing {
  skip: number
  maxCommits: number
  files: boolean
  stats: boolean
}

/** A commit, and what it changes against its first parent; a rename is one removed and one added path. */
export interface Changes {
  id: string
  /** Undefined if they were not requested, or are too many. */
  files: ChangedFile[] | undefined
  stats: { additions: number; deletions: number } | undefined
}

interface ChangedFile {
  path: string
  status: 'added' | 'removed' | 'modified'
}

/** Maximum bytes of the changes in a list of commits; commits after that are listed without changes. */
const maxBytes = 8 * 1024 * 1024
const largest = [...largestCompared, '--literal-pathspecs']

/** Stats count only what a renamed file changes. Comparing more files than these takes long. */
const renames = ['-M', '-l200']

/** Numbers of commits by repository and selection: what a commit leads to never changes. */
const counts = new LRUCache<string, number>({ max: 10_000 })

/**
 * The commit of each repository whose ancestors were counted last. The count of a commit that is pushed later follows from
 * that one: git takes 80 ms of processor time to count 20,000 commits, and a few to compare near ones.
 */
const lastCounted = new LRUCache<string, string>({ max: 1000 })

const repositoryKey = ({ identity, directory }: KnownRepository) => identity ?? directory
const countKey = (repository: KnownRepository, selection: Selection) =>
  JSON.stringify([repositoryKey(repository), selection])

/** The number of commits. Faults: those of git. */
export async function countCommits(
  repository: KnownRepository,
  selection: Selection,
): Promise<GitOutcome<number>> {
  const key = countKey(repository, selection)
  const cached = counts.get(key)
  if (cached !== undefined) return done(cached)
  const range = rangeOf(selection)
  if (!range) return invalid(selection)
  const { tip, ...limits } = selection
  const countsAll = Object.values(limits).every((limit) => limit === undefined)
  const near = countsAll ? await countFromLast(repository, tip) : undefined
  const counted = near === undefined ? await countByGit(repository, range) : done(near)
  if (!counted.ok) return counted
  counts.set(key, counted.value)
  if (countsAll) lastCounted.set(repositoryKey(repository), tip)
  return counted
}

async function countByGit(
  { git, directory }: OpenRepository,
  range: readonly string[],
): Promise<GitOutcome<number>> {
  const counted = await git.run(directory, ['--literal-pathspecs', 'rev-list', '--count', ...range])
  return counted.ok ? done(Number(counted.value.toString('latin1'))) : counted
}

/** Undefined if nothing was counted in the repository, or it no longer has that commit. */
async function countFromLast(repository: KnownRepository, tip: string): Promise<number | undefined> {
  const { git, directory } = repository
  const last = lastCounted.get(repositoryKey(repository))
  const count = last === undefined ? undefined : counts.get(countKey(repository, { tip: last }))
  if (last === undefined || count === undefined) return undefined
  const added = await lineage(repository, tip, last)
  if (added.ok && added.value) return count + added.value.length
  const command = ['rev-list', '--count', '--left-right', `${last}...${tip}`, '--']
  const compared = await git.run(directory, command)
  if (!compared.ok) return undefined
  const [lost = Number.NaN, more = Number.NaN] = compared.value.toString('latin1').split('\t').map(Number)
  return count - lost + more
}

/** Lists of commits by repository, selection and listing, which never change. `maxSize` counts commits and files. */
const lists = new LRUCache<string, Changes[]>({
  maxSize: 50_000,
  sizeCalculation: (all, { length }) =>
    all.reduce((sum, { files = [] }) => sum + 1 + files.length, 1 + (length >> 6)),
})

/** Ids of commits with their changes. Lists of a repository with an identity are cached. Faults: those of git. */
export async function listChanges(
  repository: KnownRepository,
  selection: Selection,
  listing: Listing,
): Promise<GitOutcome<Changes[]>> {
  const key = JSON.stringify([repository.identity, selection, listing])
  const cached = repository.identity === undefined ? undefined : lists.get(key)
  if (cached) return done(cached)
  const read = await readChanges(repository, selection, listing)
  if (read.ok && repository.identity !== undefined) lists.set(key, read.value)
  return read
}

/** Uses one run of git, or two for the commits that change a path, unless the output is too long. */
async function readChanges(
  repository: OpenRepository,
  selection: Selection,
  listing: Listing,
): Promise<GitOutcome<Changes[]>> {
  const { skip, maxCommits, files, stats } = listing
  if (maxCommits <= 0) return done([])
  const listed = await listedBy(repository, selection, listing)
  if (!listed.ok || listed.value.length === 0) return listed.ok ? done([]) : listed
  const compared = [...(files ? ['--raw', '--no-abbrev'] : []), ...(stats ? ['--numstat'] : [])]
  const shown = compared.length > 0 ? [...compared, ...renames, '--diff-merges=first-parent'] : ['--no-patch']
  const command = [...largest, 'log', ...plain, '-z', '--format=%x00%H', ...shown, ...listed.value]
  const read = await repository.git.run(repository.directory, command, { maxBytes, truncate: true })
  if (!read.ok) return read
  const changes = changesIn(read.value, { files, stats })
  if (read.value.length < maxBytes) return done(changes)
  const whole = changes.slice(0, -1)
  const left = {
    skip: skip + whole.length,
    maxCommits: maxCommits - whole.length,
    files: false,
    stats: false,
  }
  const rest = await readChanges(repository, selection, left)
  return rest.ok ? done([...whole, ...rest.value]) : rest
}

/**
 * Arguments that list the commits; none if there are no commits. Git decides by what it compares which merges change a
 * path: the commits that change one are selected first, as they are counted, and then compared.
 */
async function listedBy(
  { git, directory }: OpenRepository,
  selection: Selection,
  { skip, maxCommits, files, stats }: Listing,
): Promise<GitOutcome<string[]>> {
  const range = rangeOf(selection)
  if (!range) return invalid(selection)
  const args = [`--skip=${skip}`, `--max-count=${maxCommits}`, ...range]
  if (selection.path === undefined || !(files || stats)) return done(args)
  const read = await git.run(directory, ['--literal-pathspecs', 'rev-list', ...args])
  if (!read.ok) return read
  const ids = read.value.toString('latin1').split('\n').filter(isObjectId)
  return done(ids.length === 0 ? [] : ['--no-walk=unsorted', ...ids, '--'])
}

/** Arguments that select commits; undefined if an id is invalid. */
function rangeOf({ tip, not, path, since, until }: Selection): string[] | undefined {
  if (!isObjectId(tip) || !isObjectId(not ?? tip)) return undefined
  return [
    ...(since ? [`--since=${gitTime(Math.ceil(since.getTime() / 1000))}`] : []),
    ...(until ? [`--until=${gitTime(Math.floor(until.getTime() / 1000))}`] : []),
    tip,
    ...(not === undefined ? [] : [`^${not}`]),
    '--',
    ...(path === undefined ? [] : [path]),
  ]
}

const invalid = ({ tip, not }: Selection) => fault('name', `not object ids: ${tip} ${not}`)

const statuses: Readonly<Record<string, ChangedFile['status']>> = { A: 'added', D: 'removed' }

/**
 * Parses git's output: for each commit an empty token and its id, then for each file a token that begins with a colon and
 * ends with a letter, and its path; then for each file the lines added and deleted with its path. Two paths for a rename,
 * after a token of its own. Paths are never empty.
 */
function changesIn(output: Buffer, { files, stats }: Pick<Listing, 'files' | 'stats'>): Changes[] {
  const tokens = output.toString('utf8').split('\0')
  const all: Changes[] = []
  for (let at = 0; at + 1 < tokens.length; at++) {
    const token = (tokens[at] ?? '').replace(/^\n/, '')
    const last = all.at(-1)
    if (token === '') {
      const counts = stats ? { additions: 0, deletions: 0 } : undefined
      all.push({ id: tokens[++at] ?? '', files: files ? [] : undefined, stats: counts })
    } else if (token.startsWith(':')) {
      const [, letter = ''] = / ([A-Z])\d*$/.exec(token) ?? []
      const path = tokens[++at] ?? ''
      if (letter !== 'R') last?.files?.push({ path, status: statuses[letter] ?? 'modified' })
      else last?.files?.push({ path, status: 'removed' }, { path: tokens[++at] ?? '', status: 'added' })
    } else if (last?.stats) {
      const [, added, deleted, path] = /^(\d+|-)\t(\d+|-)\t(.?)/s.exec(token) ?? []
      last.stats.additions += Number(added) || 0
      last.stats.deletions += Number(deleted) || 0
      if (path === '') at += 2
    }
  }
  for (const { files } of all) files?.sort(byPath)
  return all.filter(({ id }) => isObjectId(id))
}

/** Git lists a rename at its new path. */
const byPath = (one: ChangedFile, other: ChangedFile) =>
  Buffer.compare(Buffer.from(one.path), Buffer.from(other.path))
