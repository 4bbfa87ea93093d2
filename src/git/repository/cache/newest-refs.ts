import { LRUCache } from 'lru-cache'
import { done } from '../../../common/outcome.ts'
import type { GitOutcome } from '../../program/outcome.ts'
import { readCommitObjects } from '../commit.ts'
import { maxRefBytes } from '../refs.ts'
import type { KnownRepository } from './objects.ts'
import { type RefKind, type RefTimes, refTimes } from './ref-files.ts'

/** A branch or tag, and when its commit was made. */
interface DatedRef {
  /** Short name. */
  name: string
  /** The object that it points to: the commit, or an annotated tag. */
  id: string
  /** The commit. */
  commit: string
  /** RFC 3339, with the recorded offset; "" if the commit has none. */
  at: string
}

/** The newest refs of a repository, and the state of the disk and the database before they were read. */
interface CachedRefs {
  refs: readonly DatedRef[]
  /** Whether these are all. */
  isWhole: boolean
  times: RefTimes | undefined
  version: string | undefined
}

/** By repository and kind. `maxSize` counts refs. */
const cache = new LRUCache<string, CachedRefs>({
  maxSize: 100_000,
  sizeCalculation: ({ refs }) => refs.length + 1,
})

/** Maximum number of branches with new commits that are dated without `for-each-ref`. */
const maxUndated = 30

/**
 * Branches or tags, those of the newest commits first, then by name, at most `count`. They are cached until one moves.
 * Faults: those of git.
 */
export async function newestRefs(
  repository: KnownRepository,
  kind: RefKind,
  count: number,
): Promise<GitOutcome<DatedRef[]>> {
  const { identity, version, directory } = repository
  if (identity === undefined) return datedRefs(repository, kind, count)
  const key = `${kind} ${identity}`
  const cached = cache.get(key)
  const isEnough = cached !== undefined && (cached.isWhole || cached.refs.length >= count)
  if (isEnough && (await isCurrent(repository, kind, cached))) return done(cached.refs.slice(0, count))
  const times = await refTimes(directory, kind)
  const branches = cached?.isWhole && kind === 'heads' ? await branchesSince(repository, cached) : undefined
  const listed = branches ?? (await datedRefs(repository, kind, count))
  if (!listed.ok) return listed
  const refs = listed.value
  const isWhole = branches !== undefined || refs.length < count
  cache.set(key, { refs, isWhole, times: times?.isSettled ? times : undefined, version })
  return done(refs.slice(0, count))
}

async function isCurrent(
  { directory, version }: KnownRepository,
  kind: RefKind,
  cached: CachedRefs,
): Promise<boolean> {
  if (!cached.times || cached.version !== version) return false
  const now = await refTimes(directory, kind, cached.times.folders)
  return now?.text === cached.times.text
}

async function datedRefs(
  { git, directory }: KnownRepository,
  kind: RefKind,
  count: number,
): Promise<GitOutcome<DatedRef[]>> {
  const format = `--format=%(objectname) %(*objectname) %(creatordate:iso-strict) %(refname)`
  const sorted = ['--sort=refname', '--sort=-creatordate', `--count=${count}`]
  const listed = await git.run(directory, ['for-each-ref', format, ...sorted, '--', `refs/${kind}`], {
    maxBytes: maxRefBytes,
  })
  if (!listed.ok) return listed
  return done(
    linesOf(listed.value).map((line) => {
      const [id = '', peeled = '', at = '', ...name] = line.split(' ')
      return { name: name.join(' ').slice(`refs/${kind}/`.length), id, commit: peeled || id, at }
    }),
  )
}

/**
 * All branches, most of them with dates of an earlier list, so that git need not read their commits. Undefined if too
 * many are new. Faults: those of git.
 */
async function branchesSince(
  repository: KnownRepository,
  { refs }: CachedRefs,
): Promise<GitOutcome<DatedRef[]> | undefined> {
  const { git, directory } = repository
  const command = ['for-each-ref', '--format=%(objectname) %(refname:lstrip=2)', '--', 'refs/heads']
  const listed = await git.run(directory, command, { maxBytes: maxRefBytes })
  if (!listed.ok) return listed
  const branches = linesOf(listed.value).map((line) => {
    const space = line.indexOf(' ')
    return { id: line.slice(0, space), name: line.slice(space + 1) }
  })
  const dates = new Map(refs.map(({ id, at }) => [id, at]))
  const undated = [...new Set(branches.map(({ id }) => id).filter((id) => !dates.has(id)))]
  if (undated.length > maxUndated) return undefined
  const read = await readCommitObjects(repository, undated)
  if (!read.ok) return read
  for (const { id, committer } of read.value) dates.set(id, committer.at)
  if (undated.some((id) => !dates.has(id))) return undefined
  const dated = branches.map(({ id, name }) => ({ name, id, commit: id, at: dates.get(id) ?? '' }))
  return done(newestFirst(dated))
}

/** Git lists them by name. */
function newestFirst(refs: readonly DatedRef[]): DatedRef[] {
  const timed = refs.map((ref) => ({ ref, time: Date.parse(ref.at) || 0 }))
  return timed.sort((one, other) => other.time - one.time).map(({ ref }) => ref)
}

const linesOf = (output: Buffer) => output.toString('utf8').split('\n').slice(0, -1)
