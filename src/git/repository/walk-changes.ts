import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { emptyTreeOf } from '../program/names.ts'
import type { GitOutcome } from '../program/outcome.ts'
import type { PathInCommit } from './revisions.ts'

/**
 * Finds the commits that last changed the entries of a folder: for each entry the first one that `git log` shows for its
 * path alone. Each entry follows, from the tip backwards, the first parent that has the same; the commit that differs from
 * all of its parents has changed it. One log of the whole folder does not say that: a merge that takes an entry from one
 * side does not change it, and no commit of the other side has.
 */

/** A commit whose folder differs from that of a parent, or a merge, and the next such commits before it. */
interface Step {
  id: string
  parents: readonly string[]
}

interface Walked {
  /** The ids of commits by the names of entries. */
  changes: ReadonlyMap<string, string>
  /** Names of which nothing is known, by the commits where their walks ended. */
  left: ReadonlyMap<string, ReadonlySet<string>>
}

/** Maximum commits that are read; entries that were last changed before these have no commit. */
const maxCommits = 50_000
/** Maximum bytes that git reads or writes at once, likewise. */
const maxListBytes = 16 * 1024 * 1024
/** Commits that are compared at once: the walk ends when the commits of all entries are known. */
const maxSteps = 5000

/**
 * Walks from a commit back to the last changes of the entries with these names, or to `end` and its ancestors. The path
 * must be a line (`isLine`). Faults: those of git.
 */
export async function walkChanges(
  repository: OpenRepository,
  place: PathInCommit,
  names: ReadonlySet<string>,
  end?: string,
): Promise<GitOutcome<Walked>> {
  const changes = new Map<string, string>()
  const steps = await readSteps(repository, place, end)
  if (!steps.ok) return steps
  // Git does not list a tip that does not change the folder.
  const left = new Map([[steps.value[0]?.id ?? place.commit, new Set(names)]])
  const count = Math.min(maxSteps, Math.floor(maxListBytes / (place.path.length + 100)))
  for (let at = 0; at < steps.value.length && left.size > 0; at += count) {
    const some = steps.value.slice(at, at + count)
    const differing = await differencesOf(repository, place.path, some)
    if (!differing.ok) return differing
    for (const step of some) settle(step, differing.value, { changes, left })
  }
  return done({ changes, left })
}

/** Passes the names at a commit on to its parents; what no parent has was changed by it. */
function settle(
  { id, parents }: Step,
  differing: Differences,
  { changes, left }: { changes: Map<string, string>; left: Map<string, Set<string>> },
): void {
  let names = left.get(id)
  if (!names) return
  for (const parent of parents) {
    const others = differing(id, parent)
    if (!others) return
    const changed = new Set<string>()
    for (const name of others) if (names.delete(name)) changed.add(name)
    if (names.size > 0) left.set(parent, union(names, left.get(parent)))
    names = changed
  }
  left.delete(id)
  for (const name of names) changes.set(name, id)
}

function union(one: Set<string>, other: Set<string> = new Set()): Set<string> {
  const [small, large] = one.size < other.size ? [one, other] : [other, one]
  for (const name of small) large.add(name)
  return large
}

/**
 * The commits of a folder, each before its ancestors. With `end` all commits that are not reachable from it: git would leave
 * out merges with such. Faults: those of git.
 */
async function readSteps(
  { git, directory }: OpenRepository,
  { commit, path }: PathInCommit,
  end: string | undefined,
): Promise<GitOutcome<Step[]>> {
  const shown = ['--full-history', '--parents', '--topo-order', `--max-count=${maxCommits}`]
  const range = end === undefined ? [commit, '--', ...(path === '' ? [] : [path])] : [commit, `^${end}`, '--']
  const command = ['--literal-pathspecs', 'rev-list', ...shown, ...range]
  const read = await git.run(directory, command, { maxBytes: maxListBytes, truncate: true })
  if (!read.ok) return read
  // The last one is empty or incomplete.
  const lines = read.value.toString('latin1').split('\n').slice(0, -1)
  return done(
    lines.map((line) => {
      const [id = '', ...parents] = line.split(' ')
      return { id, parents }
    }),
  )
}

/** The names whose entries differ between a commit and a parent; undefined if they were not read. */
type Differences = (id: string, parent: string) => readonly string[] | undefined

/** Faults: those of git. */
async function differencesOf(
  repository: OpenRepository,
  path: string,
  steps: readonly Step[],
): Promise<GitOutcome<Differences>> {
  const trees = await treesOf(repository, path, [
    ...new Set(steps.flatMap(({ id, parents }) => [id, ...parents])),
  ])
  if (!trees.ok) return trees
  const pairOf = (id: string, parent: string) => `${trees.value.get(parent)} ${trees.value.get(id)}`
  const pairs = new Set(steps.flatMap(({ id, parents }) => parents.map((parent) => pairOf(id, parent))))
  const read = await compareTrees(repository, [...pairs])
  return read.ok ? done((id, parent) => read.value.get(pairOf(id, parent))) : read
}

/** The ids of the trees of a folder by commits; that of the empty tree where it is missing. Faults: those of git. */
async function treesOf(
  { git, directory }: OpenRepository,
  path: string,
  commits: readonly string[],
): Promise<GitOutcome<ReadonlyMap<string, string>>> {
  const empty = emptyTreeOf(commits[0] ?? '')
  const input = commits.map((id) => `${id}:${path}\n`).join('')
  const command = ['cat-file', '--batch-check=%(objecttype) %(objectname)']
  const read = await git.run(directory, command, { input, maxBytes: 2 * maxListBytes })
  if (!read.ok) return read
  const lines = read.value.toString('latin1').split('\n')
  return done(
    new Map(
      commits.map((id, at) => {
        const [type, tree] = lines[at]?.split(' ') ?? []
        return [id, type === 'tree' && tree !== undefined ? tree : empty]
      }),
    ),
  )
}

/**
 * The names whose entries differ, by pairs of ids of trees (`0123… 4567…`); those of later pairs are missing if they are
 * too many. Faults: those of git.
 */
async function compareTrees(
  { git, directory }: OpenRepository,
  pairs: readonly string[],
): Promise<GitOutcome<ReadonlyMap<string, string[]>>> {
  const names = new Map<string, string[]>()
  if (pairs.length === 0) return done(names)
  const command = ['diff-tree', '--stdin', '-z', '--name-only', '--no-renames', '--no-ext-diff']
  const input = pairs.map((pair) => `${pair}\n`).join('')
  const read = await git.run(directory, command, { input, maxBytes: maxListBytes, truncate: true })
  if (!read.ok) return read
  // Git writes each pair and a line end, then each name and a NUL.
  const output = read.value.toString('utf8')
  let at = 0
  for (const [index, pair] of pairs.entries()) {
    const next = pairs[index + 1]
    const start = at + pair.length + 1
    const marked = next === undefined ? output.length : output.indexOf(`${next}\n`, start)
    const isWhole = next !== undefined || read.value.length < maxListBytes
    if (marked < 0 || !isWhole || !output.startsWith(pair, at)) break
    names.set(pair, output.slice(start, marked).split('\0').slice(0, -1))
    at = marked
  }
  return done(names)
}
