import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { done } from '../../common/outcome.ts'
import type { Code, CodeContext, Place } from '../../forge/repos/code.ts'
import { folderOf } from '../../forge/repos/repo-store.ts'
import { cachedChangesIn, lastChangeOf, lastChangesIn } from '../../git/repository/cache/last-changes.ts'
import type { KnownRepository } from '../../git/repository/cache/objects.ts'
import { type CommitObject, readCommitObjects } from '../../git/repository/commit.ts'
import { countCommits } from '../../git/repository/commit-list.ts'
import { LimitError, Limiter } from '../../limiter/limiter.ts'
import { usageOf } from '../../limiter/usage.ts'
import type { PageTools } from '../route.ts'

/** What a page shows of the commit that changed something last. */
export interface LastCommit {
  id: string
  subject: string
  author: string
  /** RFC 3339; "" if the commit has none. */
  at: string
}

/** The commits that changed a folder and its entries last, as far as they are known. */
export interface LastCommits {
  ofFolder?: LastCommit | undefined
  /** How many commits lead to this state of the whole repository; undefined for other folders. */
  count?: number | undefined
  /** By the names of entries. */
  ofEntries: ReadonlyMap<string, LastCommit>
}

const nothing: LastCommits = { ofEntries: new Map() }

interface Context {
  tools: PageTools
  from: Pick<CodeContext['from'], 'id' | 'address'>
}

/** Milliseconds that a page waits for a walk through the history, and that the walk may take. */
const maximum = { waited: 250, walked: 20_000 }
/** Characters of a subject. */
const longestSubject = 72

/** Walks read each commit up to the oldest change of an entry: a second of work for 20,000 commits. */
const walks = new Limiter({ concurrency: 2, queue: 20, usage: usageOf('last-commits') })

/** Walks by repository, ref, commit and path. */
const walking = new Map<string, Promise<LastCommits | undefined>>()

/** Those that git failed at or that took too long: they are not tried again before the branch moves. */
const failed = new LRUCache<string, true>({ max: 1000 })

/**
 * The commits that changed a folder and these entries of it last. Empty if the walk through the history takes longer than a
 * page waits; the walk continues for later pages.
 */
export async function lastCommitsIn(
  context: Context,
  code: Code,
  place: Place,
  names: readonly string[],
): Promise<LastCommits> {
  const cached = cachedChangesIn(code, place)
  if (cached) return shownOf(code, place, cached)
  const key = [code.row.id, place.ref, place.commit, place.path].join('\0')
  if (failed.has(key)) return nothing
  const walk = walking.get(key) ?? startWalk(key, () => readLastCommits(context, code, place, names))
  const timer = new AbortController()
  const waited = setTimeout(maximum.waited, undefined, timer).catch(() => undefined)
  const commits = await Promise.race([walk, waited])
  timer.abort()
  return commits ?? nothing
}

/** Undefined if it fails, or if too many walks wait: the page is useful without the commits. */
function startWalk(
  key: string,
  read: () => Promise<LastCommits | undefined>,
): Promise<LastCommits | undefined> {
  const walk = walks
    .run(read)
    .then((commits) => {
      if (!commits) failed.set(key, true)
      return commits
    })
    .catch((error: unknown) => {
      if (error instanceof LimitError) return undefined
      throw error
    })
    .finally(() => walking.delete(key))
  walking.set(key, walk)
  return walk
}

/**
 * Undefined where git fails or takes too long. It does not end when the client leaves, but takes the turn of that client.
 */
async function readLastCommits(
  { tools, from: { id, address } }: Context,
  code: Code,
  place: Place,
  names: readonly string[],
): Promise<LastCommits | undefined> {
  const gone = AbortSignal.timeout(maximum.walked)
  const repository = tools.gitService.forReader({ id, address, gone }).repositories.open(folderOf(code.row))
  if (!repository) return undefined
  const changes = await lastChangesIn(repository, place, names)
  return changes.ok ? shownOf({ ...code, ...repository }, place, changes.value) : undefined
}

/** The whole of a folder takes git once more for each commit of the branch. */
async function shownOf(
  repository: KnownRepository,
  place: Place,
  changes: ReadonlyMap<string, string>,
): Promise<LastCommits> {
  const isRoot = place.path === ''
  const [newest, counted] = await Promise.all([
    isRoot ? done(place.commit) : lastChangeOf(repository, place),
    isRoot ? countCommits(repository, { tip: place.commit }) : undefined,
  ])
  const folder = (newest.ok && newest.value) || ''
  const read = await readCommitObjects(repository, [
    ...new Set(folder === '' ? changes.values() : [folder, ...changes.values()]),
  ])
  if (!read.ok) return nothing
  const commits = new Map(read.value.map((commit) => [commit.id, lastCommitIn(commit)]))
  return {
    ofFolder: commits.get(folder),
    count: counted?.ok ? counted.value : undefined,
    ofEntries: new Map(
      [...changes].flatMap(([name, id]) => {
        const commit = commits.get(id)
        return commit ? [[name, commit]] : []
      }),
    ),
  }
}

function lastCommitIn({ id, message, author, committer }: CommitObject): LastCommit {
  const [subject = ''] = message.split('\n', 1)
  const isLong = subject.length > longestSubject
  return {
    id,
    subject: isLong ? `${subject.slice(0, longestSubject)}…` : subject,
    author: author.name,
    at: committer.at,
  }
}
