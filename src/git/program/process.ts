import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { done, failed } from '../../common/outcome.ts'
import { fault, type GitFault, type GitOutcome, incomplete } from './outcome.ts'
import { hookAnswer, type MayMove } from './pre-receive.ts'
import { type Exit, type Launch, notFoundStatus, type Program, type Started } from './spawn.ts'

/**
 * How long git may take to end by itself after its input has ended (longer for a push, which removes what it has received),
 * and then to clean up after SIGTERM, in milliseconds.
 */
const grace = { afterInput: 300, afterInputOfPush: 2000, afterSignal: 2000 }

/** A git process to start. It runs in the folder of a repository and never looks above it. */
interface Start extends Program {
  signal: AbortSignal | undefined
  /** Absent: no time limit. */
  milliseconds?: number | undefined
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
  /** Resolves when the process is in its folder, or was not started; never rejects. */
  begun: Promise<unknown>
}

/** Starts the process; `other` redirects its output to a file and replaces the signal that ends it. */
export type Begin = (other?: { file: number; signal: AbortSignal }) => Running

/** Starts git; ends it and its descendants after the time limit, or when `signal` fires. */
export function start(launch: Launch, options: Start): Running {
  const { args, folder, signal, milliseconds, file, mayMove } = options
  const started = launch(options, { file, answer: mayMove && hookAnswer(folder, mayMove) })
  const { stdin, stdout, begun } = started
  // A process that has ended does not read its input; `ended` reports how it ended.
  stdin.on('error', () => {})
  stdout.on('error', () => {})
  const killer = createKiller(started, mayMove ? grace.afterInputOfPush : grace.afterInput)
  const late = milliseconds === undefined ? undefined : setTimeout(() => killer.kill('late'), milliseconds)
  const cancel = () => killer.kill('cancelled')
  if (signal?.aborted) cancel()
  else signal?.addEventListener('abort', cancel, { once: true })
  const ended = started.exit.then((exit): Ended => {
    clearTimeout(late)
    signal?.removeEventListener('abort', cancel)
    killer.stop()
    const fault = faultOf(exit, { cause: killer.cause(), args, folder })
    return { ok: fault === undefined, fault }
  })
  return { stdin, stdout, begun, chunks: (consume) => forEachChunk(stdout, consume), ended }
}

/** The next chunk is read after `consume` has finished with the last one. */
async function forEachChunk(stdout: Readable, consume: Consumer): Promise<void> {
  try {
    for await (const chunk of stdout) await consume(chunk)
  } catch {
    // The output breaks when the process ends; `ended` reports the reason.
  }
}

/**
 * Ends the process in steps, input first: an aborted push then removes the received objects, which it does not do when
 * killed by a signal (observed with git 2.39).
 */
function createKiller({ stdin, signal }: Started, afterInput: number) {
  let cause: 'late' | 'cancelled' | undefined
  let escalation: NodeJS.Timeout | undefined
  const terminate = () => {
    signal('SIGTERM')
    escalation = setTimeout(() => signal('SIGKILL'), grace.afterSignal)
  }
  return {
    kill(reason: 'late' | 'cancelled'): void {
      if (cause) return
      cause = reason
      stdin.destroy()
      escalation = setTimeout(terminate, afterInput)
    },
    stop: () => clearTimeout(escalation),
    cause: () => cause,
  }
}

interface Run {
  cause: 'late' | 'cancelled' | undefined
  args: readonly string[]
  folder: string
}

/** Kinds of faults by what git says. */
const kinds: readonly (readonly [messages: RegExp, kind: GitFault['kind']])[] = [
  [/No space left on device|Disk quota exceeded/, 'full'],
  [/out of memory|cannot allocate memory|memory exhausted/i, 'heavy'],
]

function faultOf({ code, signal, stderr, error }: Exit, { cause, args, folder }: Run): GitFault | undefined {
  const run = `git ${args.slice(0, 2).join(' ')}`
  if (cause) return fault(cause, `${run} was ended: ${cause}`).fault
  if (error) return startFault(error, folder)
  if (code === 0) return undefined
  if (code === notFoundStatus) return fault('missing', 'the git program was not found').fault
  if (signal === 'SIGXCPU') return fault('late', `${run} took too much processor time`).fault
  const log = `${run} ended with ${code ?? signal}: ${stderr}`
  const kind = kinds.find(([messages]) => messages.test(stderr))?.[1]
  return (kind ? fault(kind, log) : incomplete(folder, log)).fault
}

/** A missing folder and a missing program fail with the same error code. */
function startFault({ code, message }: NonNullable<Exit['error']>, folder: string): GitFault {
  if (!existsSync(folder)) return fault('gone', `${folder} does not exist`).fault
  if (code === 'ENOENT') return fault('missing', 'the git program was not found').fault
  return fault('failed', `git could not be started: ${message}`).fault
}

interface Collection {
  /** Written to the standard input. */
  input?: string | Buffer
  /** Maximum bytes of output. */
  maxBytes?: number
  /** Whether output beyond `maxBytes` is cut off; otherwise it is a fault. */
  truncate?: boolean
}

/** Writes the input and collects the output. */
export async function collect(
  running: Running,
  { input, maxBytes = 16 * 1024 * 1024, truncate }: Collection,
): Promise<GitOutcome<Buffer>> {
  const chunks: Buffer[] = []
  let size = 0
  running.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size - chunk.length < maxBytes) chunks.push(chunk.subarray(0, maxBytes - (size - chunk.length)))
    // Git ends when its output is closed.
    if (size > maxBytes) running.stdout.destroy()
  })
  running.stdin.end(input)
  const ended = await running.ended
  if (size > maxBytes)
    return truncate ? done(Buffer.concat(chunks)) : fault('large', `git wrote more than ${maxBytes} bytes`)
  return ended.fault ? failed(ended.fault) : done(Buffer.concat(chunks))
}
