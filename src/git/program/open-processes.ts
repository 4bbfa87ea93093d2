import { stat } from 'node:fs/promises'
import { hasCode } from '../../common/errors.ts'
import { failed } from '../../common/outcome.ts'
import { diskFault, fault, type GitOutcome } from './outcome.ts'
import { Output } from './output.ts'
import type { Ended, Running } from './process.ts'

export interface OpenProcessOptions {
  /** Maximum number of processes for all repositories. */
  processes: number
  /** Milliseconds after which an unused process is ended. */
  idle: number
}

/** Starts git in a directory; `signal` ends it by force. */
export type StartOpen = (folder: string, args: readonly string[], signal: AbortSignal) => Running

/** A git process that stays open between pieces of work, of which it does one at a time. */
export abstract class OpenProcess {
  /** Resolves when it is in its folder, or was not started; never rejects. */
  readonly begun: Promise<unknown>
  /** Never rejects. */
  readonly ended: Promise<Ended>
  /** Whether it can do another piece of work. */
  isUsable = true
  protected readonly stdin: Running['stdin']
  protected readonly output: Output
  readonly #stdout: Running['stdout']
  readonly #killed = new AbortController()

  constructor(start: StartOpen, folder: string, args: readonly string[]) {
    const { begun, ended, stdin, stdout } = start(folder, args, this.#killed.signal)
    this.begun = begun
    this.ended = ended
    this.stdin = stdin
    this.output = new Output(stdout)
    this.#stdout = stdout
  }

  /** Ends it, and what it does. */
  end(): void {
    this.isUsable = false
    // Git ends at once when it writes to a closed pipe.
    this.#stdout.destroy()
    this.#killed.abort()
  }
}

/** What a process does for a caller; undefined if it ended before it had begun to do it, so that another one may. */
type Work<One, Result> = (one: One) => Promise<GitOutcome<Result> | undefined>

/** Git processes that stay open between pieces of work. */
interface OpenProcesses<Kind, One> {
  /**
   * Resolves when the process is free again, which may be after `signal` has fired. There are fewer than `processes` callers
   * at a time. Faults: gone, cancelled, late, missing, failed.
   * @throws whatever `work` throws
   */
  use: <Result>(
    folder: string,
    kind: Kind,
    work: Work<One, Result>,
    signal: AbortSignal,
  ) => Promise<GitOutcome<Result>>
  /** Ends the processes of the repository in this directory. */
  leave: (folder: string) => Promise<void>
  /** Ends all. */
  close: () => void
}

/** A process, and its repository. */
interface Entry<Kind, One> {
  one: One
  kind: Kind
  place: string
  isBusy: boolean
  /** Whether it has been given work before. */
  isUsed: boolean
  idleTimer?: NodeJS.Timeout
}

/** Milliseconds in which a process may finish its work for a caller who has left; after that it is ended. */
const maxFinishTime = 1000

/** Maximum processes that are tried for a piece of work: they or the directory may disappear meanwhile. */
const maxTries = 3

/** `milliseconds`: how long a piece of work may take. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share state
export function createOpenProcesses<Kind, One extends OpenProcess>(
  start: (folder: string, kind: Kind) => One,
  milliseconds: number,
  { processes, idle }: OpenProcessOptions,
): OpenProcesses<Kind, One> {
  /** In the order of their last use. */
  const all = new Set<Entry<Kind, One>>()

  function endOne(entry: Entry<Kind, One>): void {
    clearTimeout(entry.idleTimer)
    all.delete(entry)
    entry.one.end()
  }

  function take(folder: string, kind: Kind, place: string): Entry<Kind, One> {
    const free = [...all].filter(({ isBusy }) => !isBusy)
    const fitting = free.findLast(
      (entry) => entry.place === place && entry.kind === kind && entry.one.isUsable,
    )
    if (fitting) {
      clearTimeout(fitting.idleTimer)
      return Object.assign(fitting, { isBusy: true, isUsed: true })
    }
    if (all.size >= processes && free[0]) endOne(free[0])
    const entry: Entry<Kind, One> = { one: start(folder, kind), kind, place, isBusy: true, isUsed: false }
    all.add(entry)
    void entry.one.ended.then(() => endOne(entry))
    return entry
  }

  function giveBack(entry: Entry<Kind, One>): void {
    entry.isBusy = false
    if (!all.delete(entry) || !entry.one.isUsable) return
    all.add(entry)
    entry.idleTimer = setTimeout(() => endOne(entry), idle).unref()
  }

  async function use<Result>(
    folder: string,
    kind: Kind,
    work: Work<One, Result>,
    signal: AbortSignal,
  ): Promise<GitOutcome<Result>> {
    let failure = fault('gone', `${folder} was replaced ${maxTries} times`)
    for (let tries = 0; tries < maxTries; tries++) {
      const place = await placeOf(folder)
      if (typeof place !== 'string') return place
      if (signal.aborted) return fault('cancelled', 'cancelled before git was asked')
      const entry = take(folder, kind, place)
      await entry.one.begun
      // Another repository may have taken the place before git started.
      const isRight = entry.isUsed || (await placeOf(folder)) === place
      if (!isRight) {
        endOne(entry)
        continue
      }
      const outcome = await bounded(entry.one, work, { signal, milliseconds }).finally(() => giveBack(entry))
      if (outcome) return outcome
      const ended = await entry.one.ended
      failure = ended.fault ? failed(ended.fault) : fault('failed', 'git ended before it had answered')
      // A process that has been used before may have been ended from outside, or with its repository.
      if (!entry.isUsed && failure.fault.kind !== 'cancelled') break
    }
    return failure
  }

  return {
    use,
    leave: async (folder) => {
      const place = await placeOf(folder)
      const leaving = [...all].filter((entry) => entry.place === place)
      for (const entry of leaving) endOne(entry)
      await Promise.all(leaving.map(({ one }) => one.ended))
    },
    close: () => {
      for (const entry of all) endOne(entry)
    },
  }
}

/** Ends the process when the work takes too long, or when its caller has left and it does not finish soon. */
async function bounded<One extends OpenProcess, Result>(
  one: One,
  work: Work<One, Result>,
  { signal, milliseconds }: { signal: AbortSignal; milliseconds: number },
): Promise<GitOutcome<Result> | undefined> {
  let cause: 'late' | 'cancelled' | undefined
  const late = setTimeout(() => {
    cause ??= 'late'
    one.end()
  }, milliseconds)
  let finishing: NodeJS.Timeout | undefined
  const cancel = () => {
    cause ??= 'cancelled'
    finishing = setTimeout(() => one.end(), maxFinishTime)
  }
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
  try {
    const outcome = await work(one)
    return cause ? fault(cause, `the work of git was ended: ${cause}`) : outcome
  } finally {
    signal.removeEventListener('abort', cancel)
    clearTimeout(late)
    clearTimeout(finishing)
  }
}

/**
 * Identifies the repository in a directory, also when it is moved or another one gets its name: the number of a removed
 * directory is not used again while a process is in it. Faults: gone, full, failed.
 */
async function placeOf(folder: string): Promise<string | ReturnType<typeof fault>> {
  try {
    const { dev, ino } = await stat(folder, { bigint: true })
    return `${dev}:${ino}`
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ENOTDIR') ? fault('gone', `${folder} does not exist`) : diskFault(error)
  }
}
