import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
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
}

/** How a process ended. */
export interface Ended {
  /** Exit status 0, and nobody ended it. */
  ok: boolean
  /** Why it is not ok. */
  fault: GitFault | undefined
  stderr: string
}

/** A process that was started, or whose start has failed: then its streams are closed and `ended` says why. */
export interface Running {
  stdin: ChildProcessWithoutNullStreams['stdin']
  stdout: ChildProcessWithoutNullStreams['stdout']
  ended: Promise<Ended>
}

/** Starts git as the leader of a process group of its own, which is ended as a whole. */
export function start({ command, args, folder, environment, signal, milliseconds, patient }: Start): Running {
  const child = spawn(command, args, { cwd: folder, env: environment, detached: true, stdio: 'pipe' })
  if (patient) stepBack(child)
  // A process that ended does not read on; how it ended is told by `ended`.
  child.stdin.on('error', () => {})
  child.stdout.on('error', () => {})
  const stderr = keepEnd(child)
  const ended = new Promise<Ended>((resolve) => {
    const killer = killerOf(child, patient ? grace.aloneBehindOthers : grace.alone)
    const late = setTimeout(() => killer.kill('late'), milliseconds)
    const cancel = () => killer.kill('cancelled')
    const finish = (found: GitFault | undefined) => {
      clearTimeout(late)
      signal?.removeEventListener('abort', cancel)
      killer.stop()
      resolve({ ok: found === undefined, fault: found, stderr: stderr() })
    }
    child.once('error', (error) => finish(spawnFault(error, folder)))
    child.once('close', (code, signalName) =>
      finish(exitFault({ code, signalName, cause: killer.cause(), words: stderr(), args })),
    )
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel, { once: true })
  })
  return { stdin: child.stdin, stdout: child.stdout, ended }
}

/**
 * First the input ends: a push that breaks off removes what it has received then, which it does not when it dies of a
 * signal (seen with git 2.39).
 */
function killerOf(child: ChildProcessWithoutNullStreams, alone: number) {
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
      child.stdin.destroy()
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

function keepEnd(child: ChildProcessWithoutNullStreams): () => string {
  let kept = Buffer.alloc(0)
  child.stderr.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-stderrBytes)
  })
  child.stderr.on('error', () => {})
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
  return fault('failed', `${run} ended with ${code ?? signalName}: ${words}`).fault
}
