import { join } from 'node:path'
import { openNameless } from '../program/nameless-file.ts'
import type { Begin, RunningProcess } from '../program/process.ts'
import { treeBytes } from '../repository/files.ts'
import { createSharedRun, type SharedRun } from './shared-run.ts'

/** Maximum number of shared output files at a time. */
const maxFiles = 4

/** One of the clients that request the same from git. */
interface Subscriber {
  /** Starts git, or reads the output of a run that was started for another client of the group. */
  serve: (begin: Begin, signal: AbortSignal) => RunningProcess
  /** The client has got its answer, or has left. */
  leave: () => void
}

/**
 * Shares one run of git between identical fetches of the same repository that wait for a slot at the same time: it starts
 * after all of them have arrived. The first to get a slot starts the run; the others read its output, each in its own
 * slot and at its own speed. A client that is alone runs git exclusively, without a file.
 */
export interface SharedFetches {
  /**
   * `key` identifies the request and its environment. `repository` is the absolute path of a repository that may be too
   * large to be shared; absent if the answer is never large. `folder` is where files without a name may be created.
   */
  join: (key: string, repository: string | undefined, folder: string) => Subscriber
}

interface Group {
  subscribers: Set<{ run: SharedRun | undefined }>
  /** Whether the repository is small enough; false until that is known. */
  isSmall: boolean
}

/** @param maxRepositoryBytes largest repository whose fetches are shared; the output file may be twice as large */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share state
export function createSharedFetches(maxRepositoryBytes: number): SharedFetches {
  const groups = new Map<string, Group>()
  let openFiles = 0

  function groupFor(key: string, repository: string | undefined): Group {
    const group = groups.get(key) ?? { subscribers: new Set(), isSmall: repository === undefined }
    groups.set(key, group)
    if (group.subscribers.size === 1 && repository !== undefined) void measure(group, repository)
    return group
  }

  async function measure(group: Group, repository: string): Promise<void> {
    const bytes = await treeBytes(join(repository, 'objects')).catch(() => Number.POSITIVE_INFINITY)
    group.isSmall = bytes <= maxRepositoryBytes
  }

  function remove(key: string, group: Group): void {
    if (groups.get(key) === group) groups.delete(key)
  }

  return {
    join(key, repository, folder) {
      const group = groupFor(key, repository)
      const subscriber: { run: SharedRun | undefined } = { run: undefined }
      group.subscribers.add(subscriber)
      const leave = () => {
        group.subscribers.delete(subscriber)
        if (group.subscribers.size === 0) remove(key, group)
        subscriber.run?.leave(subscriber)
      }
      const runExclusively = (begin: Begin): RunningProcess => {
        leave()
        return begin()
      }
      const serve = (begin: Begin, signal: AbortSignal): RunningProcess => {
        if (subscriber.run)
          return subscriber.run.hasFailed() ? runExclusively(begin) : subscriber.run.follow(signal)
        const file =
          group.subscribers.size > 1 && group.isSmall && openFiles < maxFiles
            ? openNameless(folder)
            : undefined
        if (file === undefined) return runExclusively(begin)
        remove(key, group)
        openFiles++
        const closed = () => openFiles--
        const options = {
          begin,
          signal,
          file,
          subscribers: group.subscribers,
          maxBytes: 2 * maxRepositoryBytes,
          closed,
        }
        const { run, launched } = createSharedRun(options)
        for (const each of group.subscribers) each.run = run
        return launched
      }
      return { serve, leave }
    },
  }
}
