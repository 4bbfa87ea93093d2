import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Duplex, Readable, type Writable } from 'node:stream'
import { fault, type GitFault } from './outcome.ts'
import { answerHook, hookDescriptor, type MayMove } from './pre-receive.ts'
import { lowerPriority } from './priority.ts'

/** Bytes kept of git's standard error: the last ones, which give the reason of a failure. */
const stderrBytes = 4096

/**
 * How long git may take to end by itself after its input has ended (longer when it runs at low priority), and then to
 * clean up after SIGTERM, in milliseconds.
 */
const grace = { alone: 300, aloneBehindOthers: 2000, told: 2000 }

/** A git process to start. */
interface Start {
  command: string
  args: readonly string[]
  /** Absolute path of the repository; git runs in it and never looks above it. */
  folder: string
  environment: Readonly<Record<string, string>>
  signal: AbortSignal | undefined
  /** Absent: until it is ended. */
  milliseconds?: number | undefined
  /** Runs at low priority. */
  niced: boolean
  /** Descriptor of a file for its output; absent: the output goes to `stdout` of the run. */
  file?: number | undefined
  /** Answers the hook of a push; absent: no hook runs. */
  mayMove?: MayMove | undefined
}

/** How a process ended. */
export interface Ended {
  /** Exit status 0, and it was not ended by this server. */
  ok: boolean
  /** Why it is not ok. */
  fault: GitFault | undefined
}

/** Processes a chunk of output, whose bytes are valid until the promise resolves. */
export type Consumer = (chunk: Buffer) => Promise<void>

/** A process that serves a client. */
export interface RunningProcess {
  stdin: Writable
  /** Passes the output to `consume`, one chunk after another, until it ends. To be called once. */
  chunks: (consume: Consumer) => Promise<void>
  ended: Promise<Ended>
}

/**
 * A process that was started or failed to start; in the latter case its streams are closed and `ended` has the fault.
 */
export interface Running extends RunningProcess {
  stdout: Readable
}

/** Starts the process; `other` redirects its output to a file and replaces the signal that ends it. */
export type Begin = (other?: { file: number; signal: AbortSignal }) => Running

/** Starts git as the leader of its own process group, which is ended as a whole. */
export function start(options: Start): Running {
  const { command, args, folder, environment, signal, milliseconds, niced, file, mayMove } = options
  const child = spawn(command, args, {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['pipe', file ?? 'pipe', 'pipe', ...(mayMove ? (['pipe'] as const) : [])],
  })
  const channel = child.stdio[hookDescriptor]
  if (mayMove && channel instanceof Duplex) answerHook(channel, folder, mayMove)
  if (niced) lowerPriority(child)
  const { stdin, stdout } = pipesOf(child)
  // A process that has ended does not read its input; `ended` reports how it ended.
  stdin.on('error', () => {})
  stdout.on('error', () => {})
  const stderrTail = collectTail(child)
  const ended = new Promise<Ended>((resolve) => {
    const killer = createKiller(child, niced ? grace.aloneBehindOthers : grace.alone)
    const late = milliseconds === undefined ? undefined : setTimeout(() => killer.kill('late'), milliseconds)
    const cancel = () => killer.kill('cancelled')
    const finish = (fault: GitFault | undefined) => {
      clearTimeout(late)
      signal?.removeEventListener('abort', cancel)
      killer.stop()
      resolve({ ok: fault === undefined, fault: fault })
    }
    child.once('error', (error) => finish(spawnFault(error, folder)))
    child.once('close', (code, signalName) =>
      finish(exitFault({ code, signalName, cause: killer.cause(), stderr: stderrTail(), args })),
    )
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel, { once: true })
  })
  return { stdin, stdout, chunks: (consume) => forEachChunk(stdout, consume), ended }
}

/** The next chunk is read after `consume` has finished with the last one. */
async function forEachChunk(stdout: Readable, consume: Consumer): Promise<void> {
  try {
    for await (const chunk of stdout) await consume(chunk)
  } catch {
    // The output breaks when the process ends; `ended` reports the reason.
  }
}

/** The pipes of the process; `stdout` is empty if the process writes to a file. */
function pipesOf({ stdin, stdout }: ChildProcess): { stdin: Writable; stdout: Readable } {
  if (!stdin) throw new Error('the process has no standard input')
  return { stdin, stdout: stdout ?? Readable.from([]) }
}

/**
 * Ends the process in steps, input first: an aborted push then removes what it has received, which it does not do when
 * killed by a signal (observed with git 2.39).
 */
function createKiller(child: ChildProcess, alone: number) {
  let cause: 'late' | 'cancelled' | undefined
  let escalation: NodeJS.Timeout | undefined
  const kill = () => signalGroup(child.pid, 'SIGKILL')
  const terminate = () => {
    signalGroup(child.pid, 'SIGTERM')
    escalation = setTimeout(kill, grace.told)
  }
  return {
    kill(why: 'late' | 'cancelled'): void {
      if (cause) return
      cause = why
      child.stdin?.destroy()
      escalation = setTimeout(terminate, alone)
    },
    stop: () => clearTimeout(escalation),
    cause: () => cause,
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has already ended.
  }
}

function collectTail({ stderr }: ChildProcess): () => string {
  let tail = Buffer.alloc(0)
  stderr?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-stderrBytes)
  })
  stderr?.on('error', () => {})
  return () => tail.toString('utf8').trim()
}

/** A missing folder and a missing program fail with the same error code. */
function spawnFault(error: NodeJS.ErrnoException, folder: string): GitFault {
  if (!existsSync(folder)) return fault('gone', `${folder} does not exist`).fault
  if (error.code === 'ENOENT') return fault('missing', 'the git program was not found').fault
  return fault('failed', `git could not be started: ${error.message}`).fault
}

interface Exit {
  code: number | null
  signalName: NodeJS.Signals | null
  cause: 'late' | 'cancelled' | undefined
  stderr: string
  args: readonly string[]
}

function exitFault({ code, signalName, cause, stderr, args }: Exit): GitFault | undefined {
  const run = `git ${args.slice(0, 2).join(' ')}`
  if (cause) return fault(cause, `${run} was ended: ${cause}`).fault
  if (code === 0) return undefined
  const kind = /No space left on device|Disk quota exceeded/.test(stderr) ? 'full' : 'failed'
  return fault(kind, `${run} ended with ${code ?? signalName}: ${stderr}`).fault
}
