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

interface Group {
  subscribers: Set<{ run: SharedRun | undefined }>
  /** Whether the repository is small enough; false until that is known. */
  isSmall: boolean
}

/**
 * Shares one run of git between identical fetches of the same repository that wait for a slot at the same time: it starts
 * after all of them have arrived. The first to get a slot starts the run; the others read its output, each in its own
 * slot and at its own speed. A client that is alone runs git exclusively, without a file.
 */
export class SharedFetches {
  readonly #maxRepositoryBytes: number
  readonly #groups = new Map<string, Group>()
  #openFiles = 0

  /** `maxRepositoryBytes`: largest repository whose fetches are shared; the output file may be twice as large. */
  constructor(maxRepositoryBytes: number) {
    this.#maxRepositoryBytes = maxRepositoryBytes
  }

  /**
   * `key` identifies the request and its environment. `repository` is the absolute path of a repository that may be too
   * large to be shared; absent if the answer is never large. `folder` is where files without a name may be created.
   */
  join(key: string, repository: string | undefined, folder: string): Subscriber {
    const group = this.#groupFor(key, repository)
    const subscriber: { run: SharedRun | undefined } = { run: undefined }
    group.subscribers.add(subscriber)
    const leave = () => {
      group.subscribers.delete(subscriber)
      if (group.subscribers.size === 0) this.#remove(key, group)
      subscriber.run?.leave(subscriber)
    }
    const serve = (begin: Begin, signal: AbortSignal): RunningProcess => {
      const { run } = subscriber
      if (run && !run.hasFailed()) return run.follow(signal)
      const launched = run ? undefined : this.#launch(group, folder, { begin, signal })
      if (launched) this.#remove(key, group)
      else leave()
      return launched ?? begin()
    }
    return { serve, leave }
  }

  #groupFor(key: string, repository: string | undefined): Group {
    const group = this.#groups.get(key) ?? { subscribers: new Set(), isSmall: repository === undefined }
    this.#groups.set(key, group)
    if (group.subscribers.size === 1 && repository !== undefined) void this.#measure(group, repository)
    return group
  }

  async #measure(group: Group, repository: string): Promise<void> {
    const bytes = await treeBytes(join(repository, 'objects')).catch(() => Number.POSITIVE_INFINITY)
    group.isSmall = bytes <= this.#maxRepositoryBytes
  }

  #remove(key: string, group: Group): void {
    if (this.#groups.get(key) === group) this.#groups.delete(key)
  }

  /** Starts a run for all of a group; undefined if only one client waits, or there is no file for the output. */
  #launch(
    { subscribers, isSmall }: Group,
    folder: string,
    start: { begin: Begin; signal: AbortSignal },
  ): RunningProcess | undefined {
    const isShared = subscribers.size > 1 && isSmall && this.#openFiles < maxFiles
    const file = isShared ? openNameless(folder) : undefined
    if (file === undefined) return undefined
    this.#openFiles++
    const closed = () => this.#openFiles--
    const maxBytes = 2 * this.#maxRepositoryBytes
    const { run, launched } = createSharedRun({ ...start, file, subscribers, maxBytes, closed })
    for (const each of subscribers) each.run = run
    return launched
  }
}
