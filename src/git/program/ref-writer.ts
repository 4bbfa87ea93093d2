import { done, failed } from '../../common/outcome.ts'
import { OpenProcess, type StartOpen } from './open-processes.ts'
import { fault, type GitOutcome } from './outcome.ts'
import type { MayMove } from './pre-receive.ts'

/** Maximum transactions for one process: git retains the commits that it has read until it ends. */
const maxTransactions = 1000

/** A git process that moves refs in one transaction after another (git-update-ref(1), `--stdin`). */
export class RefWriter extends OpenProcess {
  #transactions = 0

  constructor(start: StartOpen, folder: string) {
    super(start, folder, ['update-ref', '--no-deref', '--stdin'])
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
    this.stdin.write(`${['start', ...commands, 'prepare'].join('\n')}\n`)
    if (!(await this.#does('start')) || !(await this.#does('prepare'))) return undefined
    const refusal = mayMove && (await this.#abortIfThrown(mayMove))
    if (refusal !== undefined) {
      await this.#abort()
      return done(refusal)
    }
    this.stdin.write('commit\n')
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
    this.isUsable = false
    this.stdin.end('abort\n')
    // The process has ended only when its output is read.
    while ((await this.output.line()) !== undefined);
    await this.ended
  }

  /** Whether git reports that it has done a step; otherwise it ends. */
  async #does(step: 'start' | 'prepare' | 'commit'): Promise<boolean> {
    const line = await this.output.line()
    if (line === `${step}: ok`) return true
    if (line !== undefined) this.end()
    this.isUsable = false
    return false
  }
}
