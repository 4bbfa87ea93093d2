import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { eachPiece, type Take } from '../http/pieces.ts'
import { fault, type GitFault } from './outcome.ts'
import { stepBack } from './priority.ts'

/** Bytes kept of what git says on its standard error: the last ones, which say why it ended. */
const stderrBytes = 4096

/**
 * How long git may end by itself when its input has ended, longer where everything else goes first, and then tidy up
 * after it was told to end, in milliseconds.
 */
const grace = { alone: 300, aloneBehindOthers: 2000, told: 2000 }

/** A git process to start. */
export interface Start {
  command: string
  args: readonly string[]
  /** Absolute path of the repository; git runs in it and never looks above it. */
  folder: string
  environment: Readonly<Record<string, string>>
  signal: AbortSignal | undefined
  milliseconds: number
  /** Lets everything else on the machine go first. */
  patient: boolean
  /** Descriptor of a file that takes what it writes; absent: `stdout` of the run brings it. */
  file?: number | undefined
}

/** How a process ended. */
export interface Ended {
  /** Exit status 0, and nobody ended it. */
  ok: boolean
  /** Why it is not ok. */
  fault: GitFault | undefined
}

/** What a client is served with. */
export interface RunningProcess {
  stdin: Writable
  /** Gives what is written to `take`, piece by piece, until there is no more. To be called once. */
  pieces: (take: Take) => Promise<void>
  ended: Promise<Ended>
}

/** A process that was started, or whose start has failed: then its streams are closed and `ended` says why. */
export interface Running extends RunningProcess {
  stdout: Readable
}

/** Starts what was asked for, writing into a file and ended by another signal where that is said. */
export type Begin = (other?: { file: number; signal: AbortSignal }) => Running

/** Starts git as the leader of a process group of its own, which is ended as a whole. */
export function start(what: Start): Running {
  const { command, args, folder, environment, signal, milliseconds, patient, file } = what
  const child = spawn(command, args, {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['pipe', file ?? 'pipe', 'pipe'],
  })
  if (patient) stepBack(child)
  const { stdin, stdout } = pipesOf(child)
  // A process that ended does not read on; how it ended is told by `ended`.
  stdin.on('error', () => {})
  stdout.on('error', () => {})
  const words = keepEnd(child)
  const ended = new Promise<Ended>((resolve) => {
    const killer = killerOf(child, patient ? grace.aloneBehindOthers : grace.alone)
    const late = setTimeout(() => killer.kill('late'), milliseconds)
    const cancel = () => killer.kill('cancelled')
    const finish = (found: GitFault | undefined) => {
      clearTimeout(late)
      signal?.removeEventListener('abort', cancel)
      killer.stop()
      resolve({ ok: found === undefined, fault: found })
    }
    child.once('error', (error) => finish(spawnFault(error, folder)))
    child.once('close', (code, signalName) =>
      finish(exitFault({ code, signalName, cause: killer.cause(), words: words(), args })),
    )
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel, { once: true })
  })
  return { stdin, stdout, pieces: (take) => eachPiece(stdout, take), ended }
}

/** What writes into a file brings nothing. */
function pipesOf({ stdin, stdout }: ChildProcess): { stdin: Writable; stdout: Readable } {
  if (!stdin) throw new Error('a process without a standard input')
  return { stdin, stdout: stdout ?? Readable.from([]) }
}

/**
 * First the input ends: a push that breaks off removes what it has received then, which it does not when it dies of a
 * signal (seen with git 2.39).
 */
function killerOf(child: ChildProcess, alone: number) {
  let cause: 'late' | 'cancelled' | undefined
  let harder: NodeJS.Timeout | undefined
  const kill = () => signalGroup(child.pid, 'SIGKILL')
  const terminate = () => {
    signalGroup(child.pid, 'SIGTERM')
    harder = setTimeout(kill, grace.told)
  }
  return {
    kill(why: 'late' | 'cancelled'): void {
      if (cause) return
      cause = why
      child.stdin?.destroy()
      harder = setTimeout(terminate, alone)
    },
    stop: () => clearTimeout(harder),
    cause: () => cause,
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended by itself.
  }
}

function keepEnd({ stderr }: ChildProcess): () => string {
  let kept = Buffer.alloc(0)
  stderr?.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-stderrBytes)
  })
  stderr?.on('error', () => {})
  return () => kept.toString('utf8').trim()
}

/** A folder that is not there and a program that is not there fail with the same code. */
function spawnFault(error: NodeJS.ErrnoException, folder: string): GitFault {
  if (!existsSync(folder)) return fault('gone', `${folder} does not exist`).fault
  if (error.code === 'ENOENT') return fault('missing', 'the git program was not found').fault
  return fault('failed', `git could not be started: ${error.message}`).fault
}

interface Exit {
  code: number | null
  signalName: NodeJS.Signals | null
  cause: 'late' | 'cancelled' | undefined
  words: string
  args: readonly string[]
}

function exitFault({ code, signalName, cause, words, args }: Exit): GitFault | undefined {
  const run = `git ${args.slice(0, 2).join(' ')}`
  if (cause) return fault(cause, `${run} was ended: ${cause}`).fault
  if (code === 0) return undefined
  const kind = /No space left on device|Disk quota exceeded/.test(words) ? 'full' : 'failed'
  return fault(kind, `${run} ended with ${code ?? signalName}: ${words}`).fault
}
