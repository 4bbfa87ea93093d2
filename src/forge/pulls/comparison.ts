import { LRUCache } from 'lru-cache'
import type { OpenRepository } from '../../git/program/git.ts'
import { isTooMuch } from '../../git/program/outcome.ts'
import { changedFiles } from '../../git/repository/merging/changed-files.ts'
import {
  type CommitPair,
  countsOf,
  mergeBasesOf,
  type Relation,
} from '../../git/repository/merging/relation.ts'
import { conflictsOf } from '../../git/repository/merging/trial.ts'
import type { Repositories } from '../../git/repository/repositories.ts'
import { found } from '../../http/route/problem.ts'
import { gitValue } from '../repos/code.ts'

/** What follows from the two commits of a pull request; it never changes, so it is computed once for all who ask. */
export interface Comparison extends Pick<Relation, 'mergeBase'> {
  /** The paths that conflict; undefined: to tell takes more time or memory than git may use here. */
  conflicts: readonly string[] | undefined
}

/** A repository on disk with the id of its row. */
export interface ComparedIn {
  repositories: Repositories
  repository: OpenRepository
  id: number
}

/** Numbers of changed files and lines. */
interface Totals {
  files: number
  additions: number
  deletions: number
}

/** Numbers of commits that one of two commits has, and the other one has not. */
type Counts = Pick<Relation, 'ahead' | 'behind'>

interface Entry {
  result: Promise<Comparison>
  /** Undefined: it is being computed. */
  value: Comparison | undefined
}

/** Milliseconds for which it is known that a pair takes too much, alone or together with others. */
const patience = { alone: 300_000, together: 30_000 }

/** By repository and commits. A push makes new keys; old ones leave when they are the least recently used. */
const comparisons = new LRUCache<string, Entry>({ max: 20_000 })
const totals = new LRUCache<string, Promise<Totals | undefined>>({ max: 20_000 })
const counts = new LRUCache<string, Promise<Counts>>({ max: 20_000 })

/**
 * Compares pairs of commits of a repository, in their order; all that are not known yet take at most two runs of git together.
 * @throws Problem 404, 503
 */
export async function compared(at: ComparedIn, pairs: readonly CommitPair[]): Promise<Comparison[]> {
  const unknown = pairs.filter((pair) => !comparisons.has(keyOf(at, pair)))
  const running = computed(at, unknown)
  const isAlone = unknown.length === 1
  const added = unknown.map((pair, place) => {
    const key = keyOf(at, pair)
    const entry: Entry = { result: running.then((all) => found(all[place])), value: undefined }
    comparisons.set(key, entry)
    entry.result.then(
      (value) => {
        entry.value = value
        // A machine that has more to give may tell later.
        if (!value.conflicts) comparisons.set(key, entry, { ttl: patience[isAlone ? 'alone' : 'together'] })
      },
      // What failed is tried again when somebody asks for it again.
      () => comparisons.delete(key),
    )
    return [key, entry] as const
  })
  const entries = new Map(added)
  return Promise.all(
    pairs.map((pair) => {
      const key = keyOf(at, pair)
      return found(entries.get(key) ?? comparisons.get(key)).result
    }),
  )
}

/** The same as far as it has been computed already, without a run of git. */
export const knownComparison = (at: Pick<ComparedIn, 'id'>, pair: CommitPair): Comparison | undefined =>
  comparisons.get(keyOf(at, pair))?.value

const keyOf = ({ id }: Pick<ComparedIn, 'id'>, { base, head }: CommitPair) => `${id} ${base} ${head}`

async function computed(at: ComparedIn, pairs: readonly CommitPair[]): Promise<Comparison[]> {
  if (pairs.length === 0) return []
  const bases = gitValue(await mergeBasesOf(at.repository, pairs))
  // Where only one side has commits of its own, nothing can conflict.
  const diverged = pairs.filter(({ base, head }, place) => ![base, head].includes(bases[place] ?? ''))
  const conflicts = await conflictsOfAll(at, diverged)
  const ofPair = new Map(diverged.map((pair, place) => [pair, conflicts[place]]))
  return pairs.map((pair, place) => ({
    mergeBase: bases[place],
    conflicts: ofPair.has(pair) ? ofPair.get(pair) : [],
  }))
}

/**
 * The paths that conflict, of each pair: of all at once, or of fewer where that takes too much, so that one pull request does
 * not keep others from being read. After a run that takes too long nobody waits for another one.
 * @throws Problem 404, 503
 */
async function conflictsOfAll(
  at: ComparedIn,
  pairs: readonly CommitPair[],
): Promise<(readonly string[] | undefined)[]> {
  const read = await conflictsOf(at.repositories, at.repository, pairs)
  if (read.ok || !isTooMuch(read.fault)) return gitValue(read)
  if (read.fault.kind === 'late' || pairs.length === 1) return pairs.map(() => undefined)
  const half = Math.ceil(pairs.length / 2)
  return [
    ...(await conflictsOfAll(at, pairs.slice(0, half))),
    ...(await conflictsOfAll(at, pairs.slice(half))),
  ]
}

/** How many commits each of two commits has that the other one has not. @throws Problem 404, 503 */
export const commitsBetween = (at: ComparedIn, pair: CommitPair): Promise<Counts> =>
  keptIn(counts, keyOf(at, pair), async () => gitValue(await countsOf(at.repository, pair)))

/**
 * The numbers of what a pull request changes, between two commits; undefined: to count takes more than git may use here.
 * @throws Problem 404, 503
 */
export const totalsOf = (at: ComparedIn, pair: CommitPair): Promise<Totals | undefined> =>
  keptIn(totals, keyOf(at, pair), () => counted(at, pair))

/** What was computed for a key; what failed is tried again when somebody asks for it again. */
function keptIn<Value>(
  kept: LRUCache<string, Promise<Value>>,
  key: string,
  compute: () => Promise<Value>,
): Promise<Value> {
  const known = kept.get(key)
  if (known) return known
  const computing = compute()
  kept.set(key, computing)
  computing.catch(() => kept.delete(key))
  return computing
}

async function counted({ repository }: ComparedIn, { base, head }: CommitPair): Promise<Totals | undefined> {
  const changed = await changedFiles(repository, { before: base, after: head })
  if (!changed.ok && isTooMuch(changed.fault)) return undefined
  const { files } = gitValue(changed)
  const sum = (member: 'additions' | 'deletions') => files.reduce((total, file) => total + file[member], 0)
  return { files: files.length, additions: sum('additions'), deletions: sum('deletions') }
}
