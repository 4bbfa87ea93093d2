import { done, failed } from '../../common/outcome.ts'
import type { OpenProcess, StartOpen } from './open-processes.ts'
import { fault, type GitOutcome } from './outcome.ts'
import { Output } from './output.ts'
import type { MayMove } from './pre-receive.ts'
import type { Ended, Running } from './process.ts'

/** Maximum transactions for one process: git retains the commits that it has read until it ends. */
const maxTransactions = 1000

/** Starts a writer of the refs of the repository in a directory. */
export const startRefWriter = (start: StartOpen) => (folder: string) => {
  const killed = new AbortController()
  const running = start(folder, ['update-ref', '--no-deref', '--stdin'], killed.signal)
  return new RefWriter(running, () => killed.abort())
}

/** A git process that moves refs in one transaction after another (git-update-ref(1), `--stdin`). */
export class RefWriter implements OpenProcess {
  readonly begun: Promise<unknown>
  readonly ended: Promise<Ended>
  readonly #process: Running
  readonly #kill: () => void
  readonly #output: Output
  #transactions = 0
  #isUsable = true

  /** `kill` ends it by force, and it then aborts its transaction. */
  constructor(running: Running, kill: () => void) {
    this.begun = running.begun
    this.ended = running.ended
    this.#process = running
    this.#kill = kill
    this.#output = new Output(running.stdout)
  }

  get isUsable(): boolean {
    return this.#isUsable
  }

  end(): void {
    this.#isUsable = false
    this.#process.stdout.destroy()
    this.#kill()
  }

  /**
   * Moves refs, all or none; the sentence of `mayMove`, which decides while git holds their locks, if it refuses. Undefined if
   * git ended before it had all locks, which it does if it cannot get one.
   * @throws whatever `mayMove` throws; then no ref moves
   */
  async move(
    commands: readonly string[],
    mayMove?: MayMove,
  ): Promise<GitOutcome<string | undefined> | undefined> {
    this.#process.stdin.write(`${['start', ...commands, 'prepare'].join('\n')}\n`)
    if (!(await this.#does('start')) || !(await this.#does('prepare'))) return undefined
    const refusal = mayMove && (await this.#abortIfThrown(mayMove))
    if (refusal !== undefined) {
      await this.#abort()
      return done(refusal)
    }
    this.#process.stdin.write('commit\n')
    if (await this.#does('commit')) {
      if (++this.#transactions === maxTransactions) this.end()
      return done(undefined)
    }
    const ended = await this.ended
    return ended.fault ? failed(ended.fault) : fault('failed', 'git ended before it had moved the refs')
  }

  async #abortIfThrown(mayMove: MayMove): Promise<string | undefined> {
    try {
      return await mayMove({})
    } catch (error) {
      await this.#abort()
      throw error
    }
  }

  /** Releases the locks. The process ends: what it has learned about refs for this transaction may be outdated in the next. */
  async #abort(): Promise<void> {
    this.#isUsable = false
    this.#process.stdin.end('abort\n')
    // The process has ended only when its output is read.
    while ((await this.#output.line()) !== undefined);
    await this.ended
  }

  /** Whether git reports that it has done a step; otherwise it ends. */
  async #does(step: 'start' | 'prepare' | 'commit'): Promise<boolean> {
    const line = await this.#output.line()
    if (line === `${step}: ok`) return true
    if (line !== undefined) this.end()
    this.#isUsable = false
    return false
  }
}
