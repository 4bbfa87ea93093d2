import { join } from 'node:path'
import type { Begin, RunningProcess } from '../program/process.ts'
import { treeBytes } from '../repository/files.ts'
import { createSharedRun, openNameless, type SharedRun } from './shared-run.ts'

/** Files that are shared at one time. */
const files = 4

/** One of those that ask git for the same. */
export interface Member {
  /** Starts git, or reads what git writes for another that has waited at the same time. */
  launch: (begin: Begin, signal: AbortSignal) => RunningProcess
  /** It has what it wanted, or wants nothing any more. */
  leave: () => void
}

/**
 * Fetches that wait for a place with the same words for the same repository: a run of git that begins when all of them
 * have come is as good for each as its own. The first that gets a place starts it and the others read along, each in
 * its own place and at its own speed. Who has nobody beside it has git to itself, with nothing on the disk.
 */
export interface Crowds {
  /**
   * `key` says who asks for what. `repository` is the absolute path of what may be too large to be shared; absent: what is
   * asked for never is. `folder` may hold files without names.
   */
  join: (key: string, repository: string | undefined, folder: string) => Member
}

interface Waiting {
  members: Set<{ run: SharedRun | undefined }>
  /** Whether the repository is small enough; false until that is known. */
  isSmall: boolean
}

/** @param most bytes of the largest repository of which what git writes is shared; a file has at most twice as many */
export function createCrowds(most: number): Crowds {
  const crowds = new Map<string, Waiting>()
  let taken = 0

  function enter(key: string, repository: string | undefined): Waiting {
    const crowd = crowds.get(key) ?? { members: new Set(), isSmall: repository === undefined }
    crowds.set(key, crowd)
    if (crowd.members.size === 1 && repository !== undefined) void measure(crowd, repository)
    return crowd
  }

  async function measure(crowd: Waiting, repository: string): Promise<void> {
    const bytes = await treeBytes(join(repository, 'objects')).catch(() => Number.POSITIVE_INFINITY)
    crowd.isSmall = bytes <= most
  }

  function drop(key: string, crowd: Waiting): void {
    if (crowds.get(key) === crowd) crowds.delete(key)
  }

  return {
    join(key, repository, folder) {
      const crowd = enter(key, repository)
      const member: { run: SharedRun | undefined } = { run: undefined }
      crowd.members.add(member)
      const leave = () => {
        crowd.members.delete(member)
        if (crowd.members.size === 0) drop(key, crowd)
        member.run?.leave(member)
      }
      const alone = (begin: Begin): RunningProcess => {
        leave()
        return begin()
      }
      const launch = (begin: Begin, signal: AbortSignal): RunningProcess => {
        if (member.run) return member.run.hasFailed() ? alone(begin) : member.run.follow(signal)
        const file =
          crowd.members.size > 1 && crowd.isSmall && taken < files ? openNameless(folder) : undefined
        if (file === undefined) return alone(begin)
        drop(key, crowd)
        taken++
        const closed = () => taken--
        const sharing = { begin, signal, file, members: crowd.members, most: 2 * most, closed }
        const { run, launched } = createSharedRun(sharing)
        for (const each of crowd.members) each.run = run
        return launched
      }
      return { launch, leave }
    },
  }
}
