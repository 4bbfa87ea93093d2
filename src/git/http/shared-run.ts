import { closeSync, read } from 'node:fs'
import { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { fault } from '../program/outcome.ts'
import type { Begin, Consumer, Ended, RunningProcess } from '../program/process.ts'

/** A git process that writes into a file for several clients. */
export interface SharedRun {
  /** Reads the output from the beginning, for one more client. */
  follow: (signal: AbortSignal) => RunningProcess
  /** When the last subscriber has left, git is ended and the file is closed. */
  leave: (subscriber: object) => void
  hasFailed: () => boolean
}

interface Sharing {
  begin: Begin
  /** Signal of the client that starts it. */
  signal: AbortSignal
  /** File descriptor; closed when no client reads any more. */
  file: number
  /** The clients that may read it. */
  subscribers: ReadonlySet<object>
  /** Maximum bytes of output; git is ended beyond. */
  maxBytes: number
  /** Called when the file has been closed. */
  closed: () => void
}

const readFrom = promisify(read)

/** Bytes read at a time. */
const chunkBytes = 128 * 1024

/** Starts the run; `launched` is for the client that starts it. */
export function createSharedRun(sharing: Sharing): { run: SharedRun; launched: RunningProcess } {
  const { file } = sharing
  const readers = new Set(sharing.subscribers)
  const controller = new AbortController()
  const git = sharing.begin({ file, signal: controller.signal })
  let ended: Ended | undefined
  const finish = () => {
    if (readers.size > 0 || !ended) return
    closeSync(file)
    sharing.closed()
  }
  // `ended` never rejects.
  void git.ended.then((result) => {
    ended = result
    finish()
  })

  const output = { ...sharing, ended: git.ended, outcome: () => ended, end: () => controller.abort() }
  const run: SharedRun = {
    follow: (signal) => follow(output, signal, discard()),
    leave: (member) => {
      if (!readers.delete(member) || readers.size > 0) return
      controller.abort()
      finish()
    },
    hasFailed: () => ended?.ok === false,
  }
  return { run, launched: follow(output, sharing.signal, git.stdin) }
}

/** The output file of a run, and the state of the process that writes it. */
interface OutputFile extends Pick<Sharing, 'file' | 'maxBytes'> {
  ended: Promise<Ended>
  /** How the process ended; undefined before. */
  outcome: () => Ended | undefined
  end: () => void
}

function follow(output: OutputFile, signal: AbortSignal, stdin: Writable): RunningProcess {
  let stop: (result: Ended) => void
  const ended = new Promise<Ended>((resolve) => {
    stop = resolve
  })
  const chunks = async (consume: Consumer) => {
    try {
      await copy(output, consume, signal)
      stop(signal.aborted ? cancelled : (output.outcome() ?? cancelled))
    } catch (error) {
      stop({ ...cancelled, fault: fault('failed', String(error)).fault })
    }
  }
  return { stdin, chunks, ended }
}

async function copy(
  { file, maxBytes, ended, outcome, end }: OutputFile,
  consume: Consumer,
  signal: AbortSignal,
): Promise<void> {
  const memory = Buffer.allocUnsafeSlow(chunkBytes)
  for (let at = 0; !signal.aborted; ) {
    // Check before reading: an empty read after git has ended is the end of the output.
    const isLast = outcome() !== undefined
    const { bytesRead } = await readFrom(file, memory, 0, chunkBytes, at)
    at += bytesRead
    if (at > maxBytes) end()
    if (bytesRead > 0) await consume(memory.subarray(0, bytesRead))
    else if (isLast) return
    else await Promise.race([ended, pause(10)])
  }
}

/** The input of the other clients is the same as that of the first, so it is discarded. */
const discard = () => new Writable({ write: (_chunk, _encoding, next) => next() })

const cancelled: Ended = {
  ok: false,
  fault: fault('cancelled', 'the output of a shared run was not read to its end: cancelled').fault,
}
