import { done, failed } from '../../common/outcome.ts'
import { prepareHome } from './environment.ts'
import { fault, type GitFault, type GitOutcome } from './outcome.ts'
import { type Begin, type RunningProcess, start } from './process.ts'
import type { RunQueue } from './queues.ts'
import type { RunOptions, StreamOptions } from './run-options.ts'
import type { Launch } from './spawn.ts'

/** How git is started. */
interface RunsOptions {
  launch: Launch
  command: string
  /** Git's home folder. */
  home: string
  environment: Readonly<Record<string, string>>
}

/** A place in a queue. */
interface Place {
  /** Fires when the caller leaves, and on `close`. */
  signal: AbortSignal
  /** Fires `signal`. */
  abort: () => void
  /** To be called once if the client is slow: gives the place to the next. */
  leavePlace: () => void
  /** Gives the place back. */
  finish: () => void
}

/** One run of git for a client. */
interface Run {
  folder: string
  args: readonly string[]
  options: Omit<StreamOptions, 'kind' | 'serve'> & Pick<RunOptions, 'milliseconds'>
}

/** A process that has a place in its queue; `leavePlace`, called once, gives it to the next, because the client is slow. */
export type WithPlace<What> = What & Pick<Place, 'leavePlace'>

/** What runs git or waits for a place to do so; all of it ends on `close`. */
export class Runs {
  readonly #options: RunsOptions
  readonly #controllers = new Set<AbortController>()
  #isClosed = false
  #preparing: Promise<GitFault | undefined> | undefined

  constructor(options: RunsOptions) {
    this.#options = options
  }

  /** Waits for a place, and lets others work beside it after a time slice. Faults: busy, cancelled, failed. */
  async enter(
    queue: RunQueue,
    { signal: caller, keys = [] }: Pick<StreamOptions, 'signal' | 'keys'>,
  ): Promise<GitOutcome<Place>> {
    const failure = await this.#prepared()
    if (failure) return failed(failure)
    const { signal, abort, end } = this.#linkedAbort(caller)
    const slot = this.#isClosed ? 'cancelled' : await queue.acquire({ signal, keys })
    if (slot === 'busy' || slot === 'cancelled') {
      end()
      return fault(
        slot,
        slot === 'busy' ? 'all slots for git are in use' : 'cancelled before git was started',
      )
    }
    const timer = setTimeout(slot.yieldSlot, queue.timeSlice)
    const finish = () => {
      clearTimeout(timer)
      slot.release()
      end()
    }
    return done({ signal, abort, leavePlace: slot.leavePlace, finish })
  }

  /**
   * Starts git once there is a place; it has the place until `ended` or `leavePlace`. Faults: busy, cancelled, failed.
   * @throws whatever `beforeGit` throws
   */
  async open<What extends RunningProcess>(
    queue: RunQueue,
    run: Run,
    serve: (begin: Begin, signal: AbortSignal) => What,
  ): Promise<GitOutcome<WithPlace<What>>> {
    const { milliseconds = queue.milliseconds, beforeGit } = run.options
    const entered = await this.enter(queue, run.options)
    if (!entered.ok) return entered
    const { signal, abort, leavePlace, finish } = entered.value
    try {
      await beforeGit?.()
    } catch (error) {
      finish()
      throw error
    }
    try {
      const serving = serve(this.#beginning(queue, run, { signal, milliseconds }), signal)
      // Git has the same time limit, which fires first and reports more; this one ends a shared run.
      const timeout = setTimeout(abort, milliseconds)
      // `ended` never rejects.
      void serving.ended.then(() => {
        clearTimeout(timeout)
        finish()
      })
      return done({ ...serving, leavePlace })
    } catch (error) {
      // Arguments that cannot be passed to a program, such as one with a NUL.
      finish()
      return fault('failed', String(error))
    }
  }

  /** Ends all runs and starts no more. */
  close(): void {
    this.#isClosed = true
    for (const controller of this.#controllers) controller.abort()
  }

  #beginning(
    { niced, limits }: RunQueue,
    { folder, args, options }: Run,
    bounds: { signal: AbortSignal; milliseconds: number },
  ): Begin {
    const { launch, command } = this.#options
    const environment = { ...this.#options.environment, ...options.environment }
    const program = { command, args, folder, environment, niced, limits, mayMove: options.mayMove }
    return (other) => start(launch, { ...program, ...bounds, ...other })
  }

  /** Creates git's home folder before the first run, and again before the next one if it could not. */
  async #prepared(): Promise<GitFault | undefined> {
    this.#preparing ??= prepare(this.#options.home)
    const failure = await this.#preparing
    if (failure) this.#preparing = undefined
    return failure
  }

  /** A signal that fires with the caller's or on `close`; `end` releases it. */
  #linkedAbort(caller: AbortSignal | undefined) {
    const controller = new AbortController()
    const abort = () => controller.abort()
    this.#controllers.add(controller)
    if (caller?.aborted) abort()
    caller?.addEventListener('abort', abort, { once: true })
    const end = () => {
      this.#controllers.delete(controller)
      caller?.removeEventListener('abort', abort)
    }
    return { signal: controller.signal, abort, end }
  }
}

async function prepare(home: string): Promise<GitFault | undefined> {
  try {
    await prepareHome(home)
    return undefined
  } catch (error) {
    return fault('failed', `git's home folder cannot be written: ${String(error)}`).fault
  }
}
