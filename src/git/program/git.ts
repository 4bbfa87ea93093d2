import { resolve } from 'node:path'
import { done, failed } from '../../common/outcome.ts'
import type { CommitSigner } from './commit-signer.ts'
import { gitEnvironment, prepareHome, type Settings } from './environment.ts'
import type { Launcher } from './launcher.ts'
import { createOpenProcesses, type OpenProcessOptions, type StartOpen } from './open-processes.ts'
import { fault, type GitFault, type GitOutcome } from './outcome.ts'
import type { MayMove } from './pre-receive.ts'
import { type Begin, collect, type Running, type RunningProcess, start } from './process.ts'
import { createQueues, type QueueOptions, type RunQueue } from './queues.ts'
import { type Answers, createReaders, type Question, type ReaderKind } from './reader.ts'
import { RefWriter } from './ref-writer.ts'
import type { RunOptions, StreamOptions } from './run-options.ts'
import { launchHere } from './spawn.ts'
import { type GitVersion, versionIn } from './version.ts'

export interface GitOptions extends QueueOptions {
  /** A folder that serves as git's home; created if missing. */
  home: string
  /** The program: a name looked up in `PATH`, or a path. */
  command?: string
  settings?: Settings
  /** Starts the processes, and is closed with this; by default they are children of this process. */
  launcher?: Launcher | undefined
  /** Processes that stay open to read objects; 32 for half a minute by default. */
  readers?: OpenProcessOptions
  signer?: CommitSigner | undefined
}

/** A process that has a place in its queue; `leavePlace`, called once, gives it to the next, because the client is slow. */
type WithPlace<What> = What & { leavePlace: () => void }

/** The git program in a controlled environment, limited in time and number of processes. */
export interface Git {
  /** Signs the commits that the server makes; absent: it signs none. */
  signer?: CommitSigner | undefined
  /** The folder that serves as git's home; it may hold other files of the server. */
  home: string
  check: () => Promise<GitVersion>
  /**
   * Runs git in a repository (absolute path) to its end and returns its output. The arguments are passed without a
   * shell; the caller must first check values in them with `names.ts`. Faults: busy, cancelled, late, missing, gone,
   * large, failed.
   */
  run: (folder: string, args: readonly string[], options?: RunOptions) => Promise<GitOutcome<Buffer>>
  /**
   * Starts git for a client when a place is free; it has the place until `ended` or `leavePlace`. The time limit starts
   * with the place. Faults: busy, cancelled.
   */
  stream: (
    folder: string,
    args: readonly string[],
    options?: StreamOptions,
  ) => Promise<GitOutcome<WithPlace<RunningProcess>>>
  /**
   * Asks a process that stays open (`reader.ts`) for objects of a repository. Takes a place of its own queue. Names in the
   * question as in `run`. Faults: those of `run`, and name for one of several lines.
   */
  ask: (
    folder: string,
    kind: ReaderKind,
    question: Question,
    options?: Pick<RunOptions, 'signal' | 'keys' | 'isHeld'>,
  ) => Promise<GitOutcome<Answers>>
  /**
   * Moves refs in one transaction by a process that stays open (`ref-writer.ts`): commands of git-update-ref(1), `--stdin`,
   * with names as in `run`. Gives the sentence of `mayMove` if it refuses. Takes a place of the queue of refs, or for a
   * transaction of the database one of its own. Faults: those of `run`.
   * @throws whatever `mayMove` throws; then no ref moves
   */
  transact: (
    folder: string,
    commands: readonly string[],
    mayMove?: MayMove,
    options?: Pick<RunOptions, 'signal' | 'keys' | 'isHeld'>,
  ) => Promise<GitOutcome<string | undefined>>
  /** Ends the processes that stay open for a repository; before its directory is removed. */
  leave: (folder: string) => Promise<void>
  /** Ends all runs and starts no more. */
  close: () => void
}

/** A repository on disk (absolute path of its directory), and the git that reads it. */
export interface OpenRepository {
  git: Git
  directory: string
}

/** Prepares the use of git; starts no process yet. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share state
export function createGit(options: GitOptions): Git {
  const { command = 'git', launcher } = options
  const launch = launcher?.launch ?? launchHere
  const home = resolve(options.home)
  const base = gitEnvironment(home, options.settings)
  const queues = createQueues(options)
  const runs = new Set<AbortController>()
  let closed = false
  let preparing: Promise<GitFault | undefined> | undefined
  const startOpen: StartOpen = (folder, args, signal) =>
    start(launch, {
      ...{ command, args, folder, signal, niced: false, limits: queues.objects.limits },
      environment: { ...base, GIT_DIR: '.' },
    })
  const idle = 30_000
  const readers = createReaders(
    startOpen,
    queues.short.milliseconds,
    options.readers ?? { processes: 32, idle },
  )
  const startWriter = (folder: string) => new RefWriter(startOpen, folder)
  const writers = createOpenProcesses(startWriter, queues.refs.milliseconds, {
    processes: 16,
    idle,
  })

  /** Waits for a slot; `finish` gives it back. */
  async function enter({ acquire }: RunQueue, options: Pick<StreamOptions, 'signal' | 'keys'>) {
    preparing ??= prepare(home)
    const failure = await preparing
    if (failure) {
      preparing = undefined
      return failed(failure)
    }
    const { signal, abort, end } = linkedAbort(options.signal)
    const slot = closed ? 'cancelled' : await acquire({ signal, keys: options.keys ?? [] })
    if (slot === 'busy' || slot === 'cancelled') {
      end()
      return fault(
        slot,
        slot === 'busy' ? 'all slots for git are in use' : 'cancelled before git was started',
      )
    }
    const finish = () => {
      slot.release()
      end()
    }
    const { yieldSlot, leavePlace } = slot
    return done({ signal, abort, yieldSlot, leavePlace, finish })
  }

  async function open<What extends RunningProcess>(
    queue: RunQueue,
    folder: string,
    args: readonly string[],
    options: Omit<StreamOptions, 'kind' | 'serve'> & Pick<RunOptions, 'milliseconds'>,
    serve: (begin: Begin, signal: AbortSignal) => What,
  ): Promise<GitOutcome<WithPlace<What>>> {
    const { niced, timeSlice, limits } = queue
    const { milliseconds = queue.milliseconds } = options
    const entered = await enter(queue, options)
    if (!entered.ok) return entered
    const { signal, abort, yieldSlot, leavePlace } = entered.value
    const environment = { ...base, GIT_DIR: '.', ...options.environment }
    const sliceTimer = setTimeout(yieldSlot, timeSlice)
    let timeout: NodeJS.Timeout | undefined
    const finish = () => {
      clearTimeout(sliceTimer)
      clearTimeout(timeout)
      entered.value.finish()
    }
    try {
      await options.beforeGit?.()
    } catch (error) {
      finish()
      throw error
    }
    try {
      const { mayMove } = options
      const processOptions = { command, args, folder, environment, milliseconds, niced, limits, mayMove }
      const serving = serve((other) => start(launch, { ...processOptions, signal, ...other }), signal)
      // Git has the same time limit, which fires first and reports more; this one ends a shared run.
      timeout = setTimeout(abort, milliseconds)
      // `ended` never rejects.
      void serving.ended.then(finish)
      return done({ ...serving, leavePlace })
    } catch (error) {
      // Arguments that cannot be passed to a program, such as one with a NUL.
      finish()
      return fault('failed', String(error))
    }
  }

  /** A signal that fires with the caller's or on `close`; `end` releases it. */
  function linkedAbort(caller: AbortSignal | undefined) {
    const controller = new AbortController()
    const abort = () => controller.abort()
    runs.add(controller)
    if (caller?.aborted) abort()
    caller?.addEventListener('abort', abort, { once: true })
    const end = () => {
      runs.delete(controller)
      caller?.removeEventListener('abort', abort)
    }
    return { signal: controller.signal, abort, end }
  }

  return {
    signer: options.signer,
    home,
    check: async () => {
      const opened = await open(
        { ...queues.short, milliseconds: 10_000 },
        '/',
        ['version'],
        {},
        startDirectly,
      )
      return versionIn(opened.ok ? await collect(opened.value, {}) : opened)
    },
    run: async (folder, args, more = {}) => {
      const { file, kind = 'short' } = more
      const serve = file === undefined ? startDirectly : startInto(file)
      const opened = await open(queues[kind], folder, args, more, serve)
      return opened.ok ? collect(opened.value, more) : opened
    },
    stream: (folder, args, more = {}) =>
      open(queues[more.kind ?? 'long'], folder, args, more, more.serve ?? startDirectly),
    ask: async (folder, kind, question, more = {}) => {
      const entered = await enter(more.isHeld ? queues.held : queues.objects, more)
      if (!entered.ok) return entered
      const { signal, finish } = entered.value
      // A caller that leaves gets an answer at once; its slot is held until the process is free again.
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => resolve(fault('cancelled', 'cancelled while git answered')))
        void readers.ask(folder, kind, question, signal).then(resolve, reject).finally(finish)
      })
    },
    transact: async (folder, commands, mayMove, more = {}) => {
      const queue = more.isHeld ? queues.held : queues.refs
      const entered = await enter(queue, more)
      if (!entered.ok) return entered
      const { signal, yieldSlot, finish } = entered.value
      const sliceTimer = setTimeout(yieldSlot, queue.timeSlice)
      const move = (writer: RefWriter) => writer.move(commands, mayMove)
      try {
        return await writers.use(folder, undefined, move, signal)
      } finally {
        clearTimeout(sliceTimer)
        finish()
      }
    },
    leave: async (folder) => {
      await Promise.all([readers.leave(folder), writers.leave(folder)])
    },
    close: () => {
      closed = true
      readers.close()
      writers.close()
      for (const controller of runs) controller.abort()
      launcher?.close()
    },
  }
}

/** A request for which git runs. */
export interface Requester {
  /** Its processes have it in their environment, for operators. */
  id: string
  /** Ends its runs. */
  signal?: AbortSignal
  /** Keys of the client, for its turn in the queue. */
  keys?: readonly string[]
}

/** The same git, for one request. */
export function gitFor({ id, ...options }: Requester, git: Git): Git {
  const ofRequest = { FORGEHALL_REQUEST_ID: id }
  const optionsOf = <Options extends RunOptions | StreamOptions>(run: Options | undefined) => ({
    ...options,
    ...run,
    environment: { ...run?.environment, ...ofRequest },
  })
  return {
    ...git,
    run: (folder, args, run) => git.run(folder, args, optionsOf(run)),
    stream: (folder, args, run) => git.stream(folder, args, optionsOf(run)),
    ask: (folder, kind, question, run) => git.ask(folder, kind, question, { ...options, ...run }),
    transact: (folder, commands, mayMove, run) =>
      git.transact(folder, commands, mayMove, { ...options, ...run }),
  }
}

const startDirectly = (begin: Begin): Running => begin()
const startInto =
  (file: number) =>
  (begin: Begin, signal: AbortSignal): Running =>
    begin({ file, signal })

async function prepare(home: string): Promise<GitFault | undefined> {
  try {
    await prepareHome(home)
    return undefined
  } catch (error) {
    return fault('failed', `git's home folder cannot be written: ${String(error)}`).fault
  }
}
