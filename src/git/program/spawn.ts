import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { Duplex, Readable, type Writable } from 'node:stream'
import { type Answer, answerQuestion, hookDescriptor } from './pre-receive.ts'
import { lowerPriority } from './priority.ts'

/** The last bytes of a program's standard error that are stored: they give the reason of a failure. */
const stderrBytes = 4096

/** What a process may take; a process that it starts may take the same. */
export interface ProcessLimits {
  /** Bytes of memory (RLIMIT_DATA, which does not count files that it maps). */
  memory: number
  /** Seconds of processor time; absent: no limit. */
  processor?: number | undefined
}

/** A program to run. */
export interface Program {
  command: string
  args: readonly string[]
  /** Absolute path of the folder in which it runs. */
  folder: string
  environment: Readonly<Record<string, string>>
  /** Whether it runs at low priority. */
  niced: boolean
  /** Absent: those of this process. */
  limits?: ProcessLimits | undefined
}

/** How a process ended. */
export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** The end of its standard error. */
  stderr: string
  /** Why it could not be started, or could not be watched to its end. */
  error?: { code: string | undefined; message: string }
}

/** The connections of a process with this server. */
interface Connections {
  /** Descriptor of a file for its output; absent: its output goes to `stdout`. */
  file?: number | undefined
  /** Answers the hook of a push; absent: no hook runs. */
  answer?: Answer | undefined
}

/** A process that was started or failed to start; in the latter case its streams are closed. */
export interface Started {
  stdin: Writable
  /** Empty if the output goes to a file. */
  stdout: Readable
  /** Resolves when the process is in its folder, or was not started; never rejects. */
  begun: Promise<unknown>
  /** Sends a signal to the process and its descendants. */
  signal: (name: NodeJS.Signals) => void
  /** Resolves when the process has ended and its output has been read; never rejects. */
  exit: Promise<Exit>
}

/**
 * Starts a process as the leader of its own process group.
 * @throws Error for arguments that cannot be passed to a program, such as one with a NUL
 */
export type Launch = (program: Program, connections: Connections) => Started

/** Starts the process as a child of this one, which `fork` blocks while it copies the page tables. */
export const launchHere: Launch = (program, { file, answer }) => {
  const child = spawnProgram(program, ['pipe', file ?? 'pipe'], answer)
  const { stdin, stdout } = child
  if (!stdin) throw new Error('the process has no standard input')
  return {
    stdin,
    stdout: stdout ?? Readable.from([]),
    begun: Promise.resolve(),
    signal: (name) => signalGroup(child, name),
    exit: exitOf(child),
  }
}

/** Starts the process with these connections as standard input and output. */
export function spawnProgram(
  { folder, environment, niced, ...program }: Program,
  input: readonly ['pipe' | Duplex, 'pipe' | Duplex | number],
  answer: Answer | undefined,
): ChildProcess {
  const stdio: StdioOptions = [...input, 'pipe', ...(answer ? (['pipe'] as const) : [])]
  const [command, ...args] = limited(program)
  const child = spawn(command, args, { cwd: folder, env: environment, detached: true, stdio })
  const channel = child.stdio[hookDescriptor]
  if (answer && channel instanceof Duplex) answerQuestion(channel, answer)
  if (niced) lowerPriority(child)
  return child
}

/** Exit status of a shell that does not find a program. */
export const notFoundStatus = 127

/** Lowers its limits and becomes the program. A limit that is lower already, or that the system does not have, stays. */
const limiting = `{ ulimit -d "$0"; ulimit -St "$1"; } 2>/dev/null; shift; exec "$@"`

/** The program, and the arguments for it, that run another one within its limits: Node cannot set limits. */
function limited({
  command,
  args,
  limits,
}: Pick<Program, 'command' | 'args' | 'limits'>): [string, ...string[]] {
  if (!limits) return [command, ...args]
  const { memory, processor = 'unlimited' } = limits
  return ['/bin/sh', '-c', limiting, `${Math.ceil(memory / 1024)}`, `${processor}`, command, ...args]
}

/** Resolves when the process has ended and its pipes are closed; never rejects. */
export function exitOf(child: ChildProcess): Promise<Exit> {
  let tail = Buffer.alloc(0)
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-stderrBytes)
  })
  child.stderr?.on('error', () => {})
  const stderr = () => tail.toString('utf8').trim()
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(unstarted(error)))
    child.once('close', (code, signal) => resolve({ code, signal, stderr: stderr() }))
  })
}

/** The exit of a process that could not be started. */
export function unstarted({ code, message }: NodeJS.ErrnoException): Exit {
  return { code: null, signal: null, stderr: '', error: { code, message } }
}

/** Sends a signal to a process and its descendants. */
export function signalGroup({ pid }: { pid?: number | undefined }, name: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && process.kill(-pid, name)
  } catch {
    // The group has already ended.
    return false
  }
}
