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

/** For whom a process works. */
export interface Caller<Kind> {
  /** Directory of the repository. */
  folder: string
  kind: Kind
  signal: AbortSignal
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

/** Git processes that stay open between pieces of work. */
export class OpenProcesses<Kind, One extends OpenProcess> {
  readonly #start: (folder: string, kind: Kind) => One
  readonly #milliseconds: number
  readonly #options: OpenProcessOptions
  /** In the order of their last use. */
  readonly #all = new Set<Entry<Kind, One>>()

  /** `milliseconds`: how long a piece of work may take. */
  constructor(start: (folder: string, kind: Kind) => One, milliseconds: number, options: OpenProcessOptions) {
    this.#start = start
    this.#milliseconds = milliseconds
    this.#options = options
  }

  /**
   * Resolves when the process is free again, which may be after `signal` has fired. There are fewer than `processes` callers
   * at a time. Faults: gone, cancelled, late, missing, failed.
   * @throws whatever `work` throws
   */
  async use<Result>(caller: Caller<Kind>, work: Work<One, Result>): Promise<GitOutcome<Result>> {
    const { folder, signal } = caller
    let failure = fault('gone', `${folder} was replaced ${maxTries} times`)
    for (let tries = 0; tries < maxTries; tries++) {
      const place = await placeOf(folder)
      if (typeof place !== 'string') return place
      if (signal.aborted) return fault('cancelled', 'cancelled before git was asked')
      const entry = await this.#begun(caller, place)
      if (!entry) continue
      const working = bounded(entry.one, work, { signal, milliseconds: this.#milliseconds })
      const outcome = await working.finally(() => this.#giveBack(entry))
      if (outcome) return outcome
      const ended = await entry.one.ended
      failure = ended.fault ? failed(ended.fault) : fault('failed', 'git ended before it had answered')
      // A process that has been used before may have been ended from outside, or with its repository.
      if (!entry.isUsed && failure.fault.kind !== 'cancelled') break
    }
    return failure
  }

  /** Ends the processes of the repository in this directory. */
  async leave(folder: string): Promise<void> {
    const place = await placeOf(folder)
    const leaving = [...this.#all].filter((entry) => entry.place === place)
    for (const entry of leaving) this.#end(entry)
    await Promise.all(leaving.map(({ one }) => one.ended))
  }

  /** Ends all. */
  close(): void {
    for (const entry of this.#all) this.#end(entry)
  }

  /** A process in this place, for one caller; undefined if another repository has taken the place before git started. */
  async #begun({ folder, kind }: Caller<Kind>, place: string): Promise<Entry<Kind, One> | undefined> {
    const entry = this.#take(folder, kind, place)
    await entry.one.begun
    if (entry.isUsed || (await placeOf(folder)) === place) return entry
    this.#end(entry)
    return undefined
  }

  #take(folder: string, kind: Kind, place: string): Entry<Kind, One> {
    const free = [...this.#all].filter(({ isBusy }) => !isBusy)
    const fitting = free.findLast(
      (entry) => entry.place === place && entry.kind === kind && entry.one.isUsable,
    )
    if (fitting) {
      clearTimeout(fitting.idleTimer)
      return Object.assign(fitting, { isBusy: true, isUsed: true })
    }
    if (this.#all.size >= this.#options.processes && free[0]) this.#end(free[0])
    const one = this.#start(folder, kind)
    const entry: Entry<Kind, One> = { one, kind, place, isBusy: true, isUsed: false }
    this.#all.add(entry)
    void one.ended.then(() => this.#end(entry))
    return entry
  }

  #giveBack(entry: Entry<Kind, One>): void {
    entry.isBusy = false
    if (!this.#all.delete(entry) || !entry.one.isUsable) return
    this.#all.add(entry)
    entry.idleTimer = setTimeout(() => this.#end(entry), this.#options.idle).unref()
  }

  #end(entry: Entry<Kind, One>): void {
    clearTimeout(entry.idleTimer)
    this.#all.delete(entry)
    entry.one.end()
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
