import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Code, CodeContext, Place } from '../../forge/repos/code.ts'
import { folderOf } from '../../forge/repos/repo-store.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import { cachedChangesIn, lastChangesIn } from '../../git/repository/cache/last-changes.ts'
import { readCommitObjects } from '../../git/repository/commit.ts'
import { LimitError, Limiter } from '../../limiter/limiter.ts'
import { usageOf } from '../../limiter/usage.ts'
import type { PageTools } from '../route.ts'

/** What a page shows of the commit that changed an entry last. */
export interface LastCommit {
  id: string
  subject: string
  /** RFC 3339; "" if the commit has none. */
  at: string
}

/** By the names of entries; entries of which nothing is known are missing. */
export type LastCommits = ReadonlyMap<string, LastCommit>

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
 * The commits that changed these entries of a folder last. Empty if the walk through the history takes longer than a page
 * waits; the walk continues for later pages.
 */
export async function lastCommitsIn(
  context: Context,
  code: Code,
  place: Place,
  names: readonly string[],
): Promise<LastCommits> {
  const cached = cachedChangesIn(code, place)
  if (cached) return shownOf(code, cached)
  const key = [code.row.id, place.ref, place.commit, place.path].join('\0')
  if (failed.has(key)) return new Map()
  const walk = walking.get(key) ?? startWalk(key, () => readLastCommits(context, code, place, names))
  const timer = new AbortController()
  const waited = setTimeout(maximum.waited, undefined, timer).catch(() => undefined)
  const commits = await Promise.race([walk, waited])
  timer.abort()
  return commits ?? new Map()
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
  { row }: Code,
  place: Place,
  names: readonly string[],
): Promise<LastCommits | undefined> {
  const gone = AbortSignal.timeout(maximum.walked)
  const repository = tools.gitService.forReader({ id, address, gone }).repositories.open(folderOf(row))
  if (!repository) return undefined
  const changes = await lastChangesIn(repository, place, names)
  return changes.ok ? shownOf(repository, changes.value) : undefined
}

async function shownOf(
  repository: OpenRepository,
  changes: ReadonlyMap<string, string>,
): Promise<LastCommits> {
  const read = await readCommitObjects(repository, [...new Set(changes.values())])
  if (!read.ok) return new Map()
  const commits = new Map(
    read.value.map(({ id, message, committer }) => {
      const [subject = ''] = message.split('\n', 1)
      const isLong = subject.length > longestSubject
      return [
        id,
        { id, subject: isLong ? `${subject.slice(0, longestSubject)}…` : subject, at: committer.at },
      ]
    }),
  )
  return new Map(
    [...changes].flatMap(([name, id]) => {
      const commit = commits.get(id)
      return commit ? [[name, commit]] : []
    }),
  )
}
