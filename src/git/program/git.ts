import { resolve } from 'node:path'
import type { CommitSigner } from './commit-signer.ts'
import { gitEnvironment, type Settings } from './environment.ts'
import type { Launcher } from './launcher.ts'
import { OpenProcesses, type OpenProcessOptions, type StartOpen } from './open-processes.ts'
import { fault, type GitOutcome } from './outcome.ts'
import type { MayMove } from './pre-receive.ts'
import { type Begin, collect, type Running, type RunningProcess, start } from './process.ts'
import { createQueues, type QueueOptions, type RunQueues } from './queues.ts'
import { type Answers, type Question, type ReaderKind, Readers } from './reader.ts'
import { RefWriter } from './ref-writer.ts'
import type { RunOptions, StreamOptions } from './run-options.ts'
import { Runs, type WithPlace } from './runs.ts'
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

/** What a `Git` is made of. */
interface Parts {
  queues: RunQueues
  runs: Runs
  readers: Readers
  writers: OpenProcesses<undefined, RefWriter>
}

/** Milliseconds after which an unused process that stays open is ended. */
const idle = 30_000

/** Prepares the use of git; starts no process yet. */
export function createGit(options: GitOptions): Git {
  const home = resolve(options.home)
  const parts = partsOf(home, options)
  const { queues, runs, readers, writers } = parts
  return {
    signer: options.signer,
    home,
    check: () => check(parts),
    run: async (folder, args, run = {}) => {
      const { file, kind = 'short' } = run
      const serve = file === undefined ? startDirectly : startInto(file)
      const opened = await runs.open(queues[kind], { folder, args, options: run }, serve)
      return opened.ok ? collect(opened.value, run) : opened
    },
    stream: (folder, args, run = {}) => {
      const { kind = 'long', serve = startDirectly } = run
      return runs.open(queues[kind], { folder, args, options: run }, serve)
    },
    ask: (...question) => ask(parts, ...question),
    transact: (...transaction) => transact(parts, ...transaction),
    leave: async (folder) => {
      await Promise.all([readers.leave(folder), writers.leave(folder)])
    },
    close: () => {
      readers.close()
      writers.close()
      runs.close()
      options.launcher?.close()
    },
  }
}

function partsOf(home: string, options: GitOptions): Parts {
  const { command = 'git', launcher, readers = { processes: 32, idle } } = options
  const launch = launcher?.launch ?? launchHere
  const environment = { ...gitEnvironment(home, options.settings), GIT_DIR: '.' }
  const queues = createQueues(options)
  const { limits } = queues.objects
  const startOpen: StartOpen = (folder, args, signal) =>
    start(launch, { command, args, folder, signal, environment, niced: false, limits })
  const startWriter = (folder: string) => new RefWriter(startOpen, folder)
  return {
    queues,
    runs: new Runs({ launch, command, home, environment }),
    readers: new Readers(startOpen, queues.short.milliseconds, readers),
    writers: new OpenProcesses(startWriter, queues.refs.milliseconds, { processes: 16, idle }),
  }
}

async function check({ runs, queues }: Parts): Promise<GitVersion> {
  const queue = { ...queues.short, milliseconds: 10_000 }
  const opened = await runs.open(queue, { folder: '/', args: ['version'], options: {} }, startDirectly)
  return versionIn(opened.ok ? await collect(opened.value, {}) : opened)
}

async function ask(
  { runs, queues, readers }: Parts,
  ...[folder, kind, question, options = {}]: Parameters<Git['ask']>
): Promise<GitOutcome<Answers>> {
  const entered = await runs.enter(options.isHeld ? queues.held : queues.objects, options)
  if (!entered.ok) return entered
  const { signal, finish } = entered.value
  // A caller that leaves gets an answer at once; its slot is held until the process is free again.
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(fault('cancelled', 'cancelled while git answered')))
    void readers.ask({ folder, kind, signal }, question).then(resolve, reject).finally(finish)
  })
}

async function transact(
  { runs, queues, writers }: Parts,
  ...[folder, commands, mayMove, options = {}]: Parameters<Git['transact']>
): Promise<GitOutcome<string | undefined>> {
  const entered = await runs.enter(options.isHeld ? queues.held : queues.refs, options)
  if (!entered.ok) return entered
  const { signal, finish } = entered.value
  const move = (writer: RefWriter) => writer.move(commands, mayMove)
  return writers.use({ folder, kind: undefined, signal }, move).finally(finish)
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
